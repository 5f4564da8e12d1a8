red = 10
green = 20
blue = 3
