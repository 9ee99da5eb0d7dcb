"""What the papers need beyond the product: each part is reached by its public functions, when asked for."""
