using System.Diagnostics;
using Microsoft.Extensions.Configuration;
using Weir.Execution.Pools.Options;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;

namespace Weir;

/// <summary>
/// One pool of worker processes, by the configuration's section <c>Weir:Pools:{name}</c>, then by code. Copied when the pool
/// starts. <c>docs/guide/pools.md</c> has all options in one table.
/// </summary>
public sealed class PoolOptions : ILimitOptions
{
    // Replaced by a copy only.
    private Dictionary<string, string> _configuration = new(StringComparer.OrdinalIgnoreCase);
    private Dictionary<string, string> _environmentVariables = new(StringComparer.Ordinal);
    private int? _queueLimit;

    /// <summary>Workers that are kept, started in the background with the pool. Default 1; 0 to <see cref="MaxWorkers"/>. 0 starts none before the first call.</summary>
    public int MinWorkers { get; set; } = 1;

    /// <summary>The most workers, those that start or end included. Default the processors available; 1 to 1,024. At the limit calls wait in the queue.</summary>
    public int MaxWorkers { get; set; } = Environment.ProcessorCount;

    /// <summary>
    /// How many calls may wait while every worker is busy. Default 10 per worker of <see cref="MaxWorkers"/>; 0 lets none wait.
    /// When it is full, calls from code wait outside, bounded by their own token and deadline, and calls over HTTP are rejected with 503.
    /// </summary>
    public int QueueLimit
    {
        get => _queueLimit ?? 10 * MaxWorkers;
        set => _queueLimit = value;
    }

    /// <summary>
    /// Workers that are started ahead once every worker has been busy for as long as a start takes, within <see cref="MaxWorkers"/>, so
    /// that the next caller finds one that is ready. Default 1; 0 to <see cref="MaxWorkers"/>. They go at the idle timeout: an idle pool
    /// stands at its minimum.
    /// </summary>
    public int StandbyWorkers { get; set; } = 1;

    /// <summary>How long a worker above <see cref="MinWorkers"/> stays without a call. Default 10 s; <c>null</c> keeps it for ever.</summary>
    public TimeSpan? IdleTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a worker may go on with a cancelled call, counted from the later of the cancellation and the start of the call's
    /// code; then it is killed with everything it started. Default 2 s; zero kills at once. A worker that is told to leave has as
    /// long, but at least 2 s.
    /// </summary>
    public TimeSpan CancelGrace { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>How long a worker may take from its start to READY, its services built. Default 10 s; more than zero. Then it is killed.</summary>
    public TimeSpan StartTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How many workers may die within 10 s before they ran a call. Default 5; 1 to 1,000. Then nothing is started for 1 s, doubling up to
    /// 30 s, and calls that find no worker end at once (WEIR2014).
    /// </summary>
    public int RestartBudget { get; set; } = 5;

    /// <summary>
    /// How many calls a worker runs at a time. Default 1: a call that computes has its worker for itself, and only the call that ran is lost
    /// with it. Up to 256, for operations that mostly wait: asynchronous ones run beside each other, synchronous ones one after the
    /// other on one thread. More calls than this wait in the queue.
    /// </summary>
    public int Concurrency { get; set; } = 1;

    /// <summary>
    /// Whether a worker warms its services up before it takes calls: those whose classes implement <see cref="IWarmUp"/>. Default
    /// <c>true</c>. It counts against <see cref="StartTimeout"/>.
    /// </summary>
    public bool WarmUp { get; set; } = true;

    /// <summary>
    /// How many calls a worker may have before it is replaced, its replacement ready first. Default <c>null</c>, any number; otherwise 1 or
    /// more. From ten on each worker gets up to a tenth less, so that they do not all leave together.
    /// </summary>
    public long? MaxCallsPerWorker { get; set; }

    /// <summary>
    /// How old a worker may become before it is replaced, between two calls, its replacement ready first. Default <c>null</c>, any age;
    /// otherwise more than zero. Each worker gets up to a tenth less, so that they do not all leave together.
    /// </summary>
    public TimeSpan? MaxWorkerAge { get; set; }

    /// <summary>
    /// A worker that holds more memory of its own than this, in bytes, is replaced after its calls; nothing is interrupted. It is looked
    /// at after calls, at most once a second. Default <c>null</c>, no limit; otherwise 16 MB or more, and less than
    /// <see cref="MemoryLimitBytes"/>. An idle worker holds 3 to 4 MB. Linux and Windows.
    /// </summary>
    public long? MemorySoftLimitBytes { get; set; }

    /// <summary>
    /// How often an operation marked <c>[Idempotent]</c> is run again after its worker died of it, while no item of it was seen. Default 2;
    /// 0 to 100. Operations without the mark are never run twice.
    /// </summary>
    public int MaxRetries { get; set; } = 2;

    /// <summary>
    /// How many workers one call may kill (the same operation with the same arguments) before such calls are turned away for
    /// <see cref="QuarantineTime"/> (WEIR2011). Default 2; 0 to 100, where 0 turns nothing away. A call that is answered is forgiven what
    /// was counted. A SIGKILL or SIGTERM that Weir did not send and that no memory limit explains is not counted until there are five.
    /// </summary>
    public int QuarantineKills { get; set; } = 2;

    /// <summary>
    /// How long a worker's death counts against the call it ran, and so how long calls are turned away after
    /// <see cref="QuarantineKills"/> deaths. Default 1 minute; zero to 49 days, where zero turns nothing away.
    /// </summary>
    public TimeSpan QuarantineTime { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How long a worker may be silent that should have started a call, before it is killed: one whose process was stopped, or whose
    /// own threads wait for each other. Default 10 s; <c>null</c> waits for ever. A call that runs is never meant, however long.
    /// </summary>
    public TimeSpan? SilenceTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// The most memory of a worker in bytes: heap, native allocations and private mappings together (RLIMIT_DATA), and in a control
    /// group of its own also everything it starts. Three quarters of it are for the garbage-collected heap, as in a container. Default
    /// <c>null</c>, no limit; otherwise 128 MB or more. At the limit the running call ends as lost, out of memory.
    /// </summary>
    public long? MemoryLimitBytes { get; set; }

    /// <summary>
    /// How much the operating system favours workers, relative to the host: <c>BelowNormal</c> is ten nice levels below the host's
    /// own, <c>Idle</c> the lowest there is, <c>AboveNormal</c> and <c>High</c> six and eleven levels above, for which the host needs
    /// CAP_SYS_NICE. Default <c>BelowNormal</c>: a worker that computes does not slow the host that answers. <c>RealTime</c> is refused.
    /// </summary>
    public ProcessPriorityClass Priority { get; set; } = ProcessPriorityClass.BelowNormal;

    /// <summary>
    /// The processors that workers may run on, by their numbers from 0; their runtime sees as many processors. Default
    /// <c>null</c>, those of the host; otherwise at least one, below 8,192.
    /// </summary>
    public IList<int>? Processors { get; set; }

    /// <summary>
    /// Whether every worker gets a control group of its own, which holds it together with everything it starts and ends all of
    /// that with it. Default <see cref="ControlGroupUse.WhereDelegated"/>. <see cref="ProcessLimit"/> and <see cref="CpuLimit"/> need
    /// one, so they ask for it as <see cref="ControlGroupUse.Always"/> does.
    /// </summary>
    public ControlGroupUse ControlGroup { get; set; }

    /// <summary>
    /// The most processes and threads of a worker and everything it starts. Default <c>null</c>, no limit; otherwise 16 or more: a runtime
    /// needs about ten. At the limit nothing more can be started, which code mostly sees as out of memory.
    /// </summary>
    public int? ProcessLimit { get; set; }

    /// <summary>
    /// How many processors' time a worker and everything it starts may use: 0.5 is half of one. Default <c>null</c>, no limit; otherwise
    /// 0.01 to 8,192. At the limit it stands still until the next 100 ms begin. Its runtime counts as many processors, rounded up.
    /// </summary>
    public double? CpuLimit { get; set; }

    /// <summary>
    /// How much sooner than the host a worker is chosen when the machine runs out of memory: added to the host's own
    /// <c>oom_score_adj</c>. Default 500; 0 to 1,000, where the sum is capped.
    /// </summary>
    public int OomScoreAdjustment { get; set; } = 500;

    /// <summary>
    /// The host's environment variables that workers see: names, or beginnings of names that end in <c>*</c>. Default <c>null</c>, all;
    /// an empty list means none. Start-up hooks, profilers and what else would put foreign code into a worker are never
    /// inherited.
    /// </summary>
    public IList<string>? InheritedVariables { get; set; }

    /// <summary>
    /// Environment variables of every worker, before what it inherits and what Weir sets for the runtime. Visible to every
    /// process of the same user, so not for secrets: those belong into <see cref="Configuration"/>. Default empty.
    /// </summary>
    public IDictionary<string, string> EnvironmentVariables => _environmentVariables;

    /// <summary>The directory in which workers start; it must exist. Relative to the host's. Default <c>null</c>, the host's own.</summary>
    public string? WorkingDirectory { get; set; }

    /// <summary>
    /// Whether a worker is also used when a limit could not be applied to it. Default <c>false</c>: then the application does not start,
    /// or the worker does not (WEIR3003). What is missing stands in the log and in <see cref="WorkerSnapshot.Limits"/>.
    /// </summary>
    public bool BestEffort { get; set; }

    /// <summary>The most bytes of one call's arguments, of a result, or of an item. Default 64 MB; 1 KB to 64 MB. What is larger ends the call (WEIR2017).</summary>
    public int PayloadLimitBytes { get; set; } = FrameReader.DefaultMostPayload;

    /// <summary>
    /// How long the reader of a stream may take nothing while 256 KB wait for it; then the stream is ended, so that it does not keep its
    /// worker. Default 30 s; <c>null</c> waits for ever.
    /// </summary>
    public TimeSpan? StallTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// What <c>WorkerStartup.Configuration</c> holds in every worker. Travels over the private channel, never in arguments or environment,
    /// so it may hold secrets. Default empty; at most 1 MB.
    /// </summary>
    public IDictionary<string, string> Configuration => _configuration;

    /// <summary>
    /// Sets what a section of the configuration says and leaves the rest; for pools without an application around them. Keys are
    /// the names of the options; times are written <c>00:00:10</c>.
    /// </summary>
    /// <param name="section">The options of one pool.</param>
    /// <exception cref="InvalidOperationException">A key is not known, or its value does not fit (WEIR3002).</exception>
    public void Bind(IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(section);
        PoolKeys.All.Bind(this, section);
    }

    /// <summary>
    /// Hears of every worker that ended without being told to, could not be started, or had to be killed. Called on the thread pool,
    /// possibly several times at once, when the calls that were lost have their endings; what it throws is logged. A drain of the
    /// pool ends after it has returned, so it must not wait for one. In code only. Default <c>null</c>: the log has every report anyway.
    /// </summary>
    public Action<CrashReport>? OnCrash { get; set; }

    /// <summary>
    /// The program that workers run, and its arguments: for services that workers in another language serve, as in
    /// <c>["python3", "/app/hash.py"]</c>. A name without a slash is looked for on the PATH when a worker is started; one that is not there
    /// rejects the calls (WEIR2019) and not the application's start. <c>--host</c> and a process id are added as the last arguments. The
    /// command is visible to every user of the machine: secrets belong into <see cref="Configuration"/>. Linux only.
    /// Default <c>null</c>: workers run this application's own services.
    /// </summary>
    public IReadOnlyList<string>? Command { get; set; }

    /// <summary>What starts the workers; <c>null</c> is the operating system's own way.</summary>
    internal IWorkerLauncher? Launcher { get; set; }

    /// <summary>Checks everything that can be known before a worker is started.</summary>
    /// <exception cref="InvalidOperationException">An option contradicts another one or the machine (WEIR3002).</exception>
    internal void Validate(string pool) => PoolOptionsCheck.Run(this, pool);

    internal PoolOptions Copy()
    {
        var copy = (PoolOptions)MemberwiseClone();
        copy._configuration = new Dictionary<string, string>(_configuration, _configuration.Comparer);
        copy._environmentVariables = new Dictionary<string, string>(_environmentVariables, _environmentVariables.Comparer);
        copy.InheritedVariables = InheritedVariables is null ? null : [.. InheritedVariables];
        copy.Processors = Processors is null ? null : [.. Processors];
        copy.Command = Command is null ? null : [.. Command];
        copy.WorkingDirectory = WorkingDirectory is null ? null : Path.GetFullPath(WorkingDirectory);
        return copy;
    }
}
