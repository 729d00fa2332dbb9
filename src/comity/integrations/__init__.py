"""One file or folder for each library of others that Comity works with; each imports only its own."""
