"""What several of the APIs need: how they read their arguments, and how they fetch."""
