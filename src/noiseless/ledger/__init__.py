"""The durable record of charges: append-only, chained by hash."""
