"""What the rules stand on: scopes, kinds of values, traced functions, over a whole project."""
