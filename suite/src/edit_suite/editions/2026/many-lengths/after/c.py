# a
# b
red = 1.0
green = 2
blue = 3.0
