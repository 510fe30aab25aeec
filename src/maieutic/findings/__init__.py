"""What the validations share: findings with their bounds, their page, and their lines on the terminal."""
