"""The work of `maieutic code`: files and folders in, the same rows with their codes out."""
