using System.Net.Sockets;
using Npgsql;

namespace Weir.Jobs.PostgreSql.Connections;

/// <summary>What errors of the database mean.</summary>
internal static class Failures
{
    /// <summary>Whether it is one of the database or of the way to it.</summary>
    public static bool IsOfDatabase(Exception error) => error is NpgsqlException or IOException or TimeoutException or SocketException;

    /// <summary>Whether the same may succeed at once: others had locks in another order, or wrote the same rows.</summary>
    public static bool IsConflict(Exception error) => error is PostgresException { SqlState: PostgresErrorCodes.DeadlockDetected or PostgresErrorCodes.SerializationFailure or PostgresErrorCodes.LockNotAvailable };

    /// <summary>Whether a row has no part for its day.</summary>
    public static bool HasNoPartition(Exception error) => error is PostgresException { SqlState: PostgresErrorCodes.CheckViolation, ConstraintName: null };

    /// <summary>Whether the server has no space left.</summary>
    public static bool IsFull(Exception error) => error is PostgresException { SqlState: PostgresErrorCodes.DiskFull };

    /// <summary>Whether the server answered that a statement failed: then its transaction did not commit. It does not answer so when it ends the session.</summary>
    public static bool IsAnswer(Exception error) => error is PostgresException { InvariantSeverity: "ERROR" };
}
