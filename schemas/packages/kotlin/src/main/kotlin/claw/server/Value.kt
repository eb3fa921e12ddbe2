package claw.server

import claw.protocol.*

/** A value that a server and its clients exchange as JSON. */
public sealed interface Value {
    /** Returns the value with all of its fields, also those that its type does not know. */
    public fun toJson(): Json
}

/** A [Type] of the server. */
public abstract class ValueType<T : Value> internal constructor() : Type<T> {
    override fun write(value: T): Json = value.toJson()
}
