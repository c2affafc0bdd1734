using Microsoft.Extensions.Logging;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>The log messages of a process that shares its jobs with others.</summary>
internal sealed partial class ReplicaLog(ILogger logger)
{
    [LoggerMessage(4530, LogLevel.Warning, "Notifications of PostgreSQL do not reach this process: {Reason}. It asks for news every {Interval} instead. Behind a pooler in transaction mode, name a direct connection to the same database in ListenConnectionString.")]
    public partial void DoesNotListen(string reason, TimeSpan interval);

    [LoggerMessage(4531, LogLevel.Warning, "The database of jobs does not answer: the lease of this process could not be renewed. It is tried again at least every second.")]
    public partial void NotRenewed(Exception failure);

    [LoggerMessage(4532, LogLevel.Information, "The database of jobs answers again: the lease of this process is renewed.")]
    public partial void RenewedAgain();

    [LoggerMessage(4533, LogLevel.Warning, "Another process presumed that this one was gone, because it had not renewed its lease of {Lease}. It is process {Replica} from now on, and was {Before}.")]
    public partial void RegisteredAgain(TimeSpan lease, Guid replica, Guid before);

    [LoggerMessage(4534, LogLevel.Warning, "Process {Replica} on {Host} has not renewed its lease of {Lease}, and is presumed to be gone: what it ran is presumed lost.")]
    public partial void Declared(Guid replica, string host, TimeSpan lease);
}
