red = 1
green = 2
blue = 3
