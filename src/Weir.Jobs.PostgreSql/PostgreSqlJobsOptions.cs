namespace Weir;

/// <summary>How jobs are kept in PostgreSQL. Read when the application starts; another value than may be is an error then.</summary>
public sealed class PostgreSqlJobsOptions
{
    /// <summary>
    /// A connection string that reaches the server itself, for the one connection of a process that listens to the others: where the other one goes through a pooler like PgBouncer. Default <c>null</c>: the same. Where listening is impossible, a
    /// process asks every second, and the log says so.
    /// </summary>
    public string? ListenConnectionString { get; set; }

    /// <summary>
    /// How long a process may have given no sign before the others take it for gone: 1 s to 10 min, default 60 s. It gives one six times in that time. What it ran ends as <see cref="JobReason.Lost"/>, or begins again where its operation is
    /// <see cref="IdempotentAttribute"/>.
    /// </summary>
    public TimeSpan Lease { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// Whether processes hear at once of jobs that were submitted in transactions of the application; default <c>true</c>. <c>false</c> for thousands of such transactions a second, which notifications would make wait for each other: the jobs
    /// start up to a sixth of <see cref="Lease"/> later.
    /// </summary>
    public bool NotifyInTransactions { get; set; } = true;

    /// <summary>
    /// The schema in which the tables are, and the channel of notifications: 1 to 40 of a to z, 0 to 9 and _, a letter or _ first; default <c>weir_jobs</c>. It is made where there is none. Applications with the same one share their jobs.
    /// </summary>
    public string Schema { get; set; } = "weir_jobs";
}
