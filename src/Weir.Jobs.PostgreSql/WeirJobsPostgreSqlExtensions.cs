using System.Text.RegularExpressions;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Weir.Jobs.PostgreSql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;

namespace Weir;

/// <summary>Chooses PostgreSQL as the store of jobs.</summary>
public static partial class WeirJobsPostgreSqlExtensions
{
    private static readonly TimeSpan ShortestLease = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestLease = TimeSpan.FromMinutes(10);

    /// <summary>
    /// Keeps jobs in a PostgreSQL database, version 13 or later, which any number of processes may share. The tables are made when the first process starts; a server that cannot be reached then is an error (WEIR3027).
    /// Jobs that have ended are deleted by days when their time is over: <see cref="WeirJobsOptions.MaxKept"/>, <see cref="WeirJobsOptions.MaxKeptFailed"/> and <see cref="WeirJobsOptions.MaxKeptBytes"/> have no other value than their default.
    /// </summary>
    /// <param name="options">The options of jobs.</param>
    /// <param name="connectionString">Of Npgsql. The user may create tables, at least when the first process starts, and those of a new day.</param>
    /// <param name="configure">Sets further options; <c>null</c> for none.</param>
    /// <returns>The same options.</returns>
    /// <exception cref="ArgumentException">The connection string is none of Npgsql.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option has a value that may not be.</exception>
    public static WeirJobsOptions UsePostgreSql(this WeirJobsOptions options, string connectionString, Action<PostgreSqlJobsOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(connectionString);
        var own = new PostgreSqlJobsOptions();
        configure?.Invoke(own);
        if (own.Lease < ShortestLease || own.Lease > LongestLease)
        {
            throw new ArgumentOutOfRangeException(nameof(configure), own.Lease, $"{nameof(PostgreSqlJobsOptions)}.{nameof(own.Lease)} is {own.Lease}: use 1 s to 10 min.");
        }

        if (own.Schema is null || !SchemaName().IsMatch(own.Schema))
        {
            throw new ArgumentOutOfRangeException(nameof(configure), own.Schema, $"{nameof(PostgreSqlJobsOptions)}.{nameof(own.Schema)} is '{own.Schema}': use 1 to 40 of a to z, 0 to 9 and _, a letter or _ first.");
        }

        Database.Check(connectionString, nameof(connectionString));
        if (own.ListenConnectionString is { } listen)
        {
            Database.Check(listen, nameof(configure));
        }

        options.Store = services =>
        {
            RefuseCounts(options);
            return new PostgreSqlJobStore(
                new Database(connectionString, own.Schema), own, new RetentionTimes(options.Retention, options.FailedRetention), services.GetService<TimeProvider>() ?? TimeProvider.System)
            {
                Logger = services.GetService<ILoggerFactory>()?.CreateLogger("Weir.Jobs") ?? NullLogger.Instance,
            };
        };
        return options;
    }

    private static void RefuseCounts(WeirJobsOptions options)
    {
        var standard = new WeirJobsOptions();
        var name = options.MaxKept != standard.MaxKept ? nameof(options.MaxKept)
            : options.MaxKeptFailed != standard.MaxKeptFailed ? nameof(options.MaxKeptFailed)
            : options.MaxKeptBytes != standard.MaxKeptBytes ? nameof(options.MaxKeptBytes) : null;
        if (name is not null)
        {
            throw new InvalidOperationException(
                $"Weir:Jobs:{name} is set, and jobs in PostgreSQL that have ended are deleted by their time only, a day at once: set Weir:Jobs:{nameof(options.Retention)} or Weir:Jobs:{nameof(options.FailedRetention)} instead, and remove Weir:Jobs:{name}.");
        }
    }

    [GeneratedRegex("^[a-z_][a-z0-9_]{0,39}\\z", RegexOptions.CultureInvariant)]
    private static partial Regex SchemaName();
}
