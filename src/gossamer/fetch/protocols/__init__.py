"""How do answers come that are none of HTTP? Gemini, FTP, data, and what plug-ins bring."""
