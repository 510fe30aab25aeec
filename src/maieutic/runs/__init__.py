"""What every long run stands on, whatever it runs: a journal that a kill does not hurt."""
