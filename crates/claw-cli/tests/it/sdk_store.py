"""Sends a prompt with the official Python package, which stores the session in one of its example stores.

python3 sdk_store.py EXAMPLES URL CLAUDE PROMPT [SESSION]

EXAMPLES is the folder of the stores in the package's source. With SESSION, the session is resumed. Prints its ID.
"""

import asyncio
import sys

import claude_agent_sdk as sdk

examples, url, claude, prompt, *resumed = sys.argv[1:]
sys.path.insert(0, examples)


async def opened():
    scheme, _, place = url.partition("://")
    if scheme == "postgres":
        import asyncpg
        from postgres_session_store import PostgresSessionStore

        store = PostgresSessionStore(pool=await asyncpg.create_pool(url, min_size=1))
        await store.create_schema()
        return store
    if scheme == "redis":
        import redis.asyncio as redis
        from redis_session_store import RedisSessionStore

        return RedisSessionStore(client=redis.Redis.from_url(url, decode_responses=True))
    import os

    import boto3
    from s3_session_store import S3SessionStore

    bucket, _, prefix = place.partition("/")
    # boto3 has other names for these variables than claw.
    client = boto3.client(
        "s3", endpoint_url=os.environ["AWS_ENDPOINT"], region_name=os.environ["AWS_REGION"]
    )
    return S3SessionStore(bucket=bucket, prefix=prefix, client=client)


async def main():
    options = sdk.ClaudeAgentOptions(
        cli_path=claude,
        session_store=await opened(),
        resume=resumed[0] if resumed else None,
        system_prompt={"type": "preset", "preset": "claude_code"},
        allowed_tools=["Bash"],
        stderr=lambda line: print(line, file=sys.stderr),
    )
    async for message in sdk.query(prompt=prompt, options=options):
        # The package reports a failed append by this message, not by an exception.
        if isinstance(message, sdk.MirrorErrorMessage):
            sys.exit(f"not stored: {message}")
        if isinstance(message, sdk.ResultMessage):
            print(message.session_id)


asyncio.run(main())
