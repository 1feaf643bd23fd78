"""How do answers come that are none of HTTP? Gemini, FTP, and what plug-ins bring."""
