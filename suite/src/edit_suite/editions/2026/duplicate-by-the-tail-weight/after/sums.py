def total(orders):
    result = 0
    for order in orders:
        result += order.price
    return result


def weight(orders):
    result = 0
    for order in orders:
        result += order.weight
    return round(result)


def count(orders):
    result = 0
    for order in orders:
        result += 1
    return result
