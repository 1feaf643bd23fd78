"""How do answers come that are none of HTTP? Gemini, FTP, SFTP, data, and what plug-ins bring."""
