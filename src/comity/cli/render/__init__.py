"""Tables, pictures and reports of the commands."""
