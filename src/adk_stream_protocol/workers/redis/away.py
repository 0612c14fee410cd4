"""The errors that redis-py raises while Redis is away."""

from redis.exceptions import RedisError

# Under uvloop a write to a connection that has just closed is a RuntimeError, which redis-py passes
# on (redis 8.1, uvloop 0.23).
AWAY = (RedisError, OSError, RuntimeError)
