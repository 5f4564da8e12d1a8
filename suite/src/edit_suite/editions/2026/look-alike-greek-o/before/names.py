start = 0
rοot = 2
end = 9
