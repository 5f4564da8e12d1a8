import os


def run():
    return 1


def run():
    return 3
