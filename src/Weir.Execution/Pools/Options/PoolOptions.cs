using System.Diagnostics;
using Microsoft.Extensions.Configuration;
using Weir.Execution.Pools.Options;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;

namespace Weir;

/// <summary>
/// The options of one pool of worker processes: first from the configuration section <c>Weir:Pools:{name}</c>, then from code. An option
/// that neither sets has the value of <see cref="WeirOptions.PoolDefaults"/>, else the default that is named here. They are copied when
/// the pool starts. <c>docs/guide/pools.md</c> has all options in one table.
/// </summary>
public sealed class PoolOptions : ILimitOptions
{
    private readonly PoolOptionValues _values;

    /// <summary>Creates options with the default values, for a pool without an application. In an application <see cref="WeirOptions.Pool"/> creates them.</summary>
    public PoolOptions()
        : this(new PoolOptionValues(null))
    {
    }

    /// <summary>Options in which everything that is not set has the value of <paramref name="defaults"/>, whenever that is set.</summary>
    internal PoolOptions(PoolOptions defaults)
        : this(new PoolOptionValues(defaults._values))
    {
    }

    private PoolOptions(PoolOptionValues values) => _values = values;

    /// <summary>The minimum of workers, started in the background with the pool. Default 1; 0 to <see cref="MaxWorkers"/>. 0 starts none before the first call.</summary>
    public int MinWorkers { get => (int)_values.Get(1)!; set => _values.Set(value); }

    /// <summary>The most workers, including those that are starting or ending. Default: the number of processors; 1 to 1,024. At the limit calls wait in the queue.</summary>
    public int MaxWorkers { get => (int)_values.Get(Environment.ProcessorCount)!; set => _values.Set(value); }

    /// <summary>
    /// How many calls may wait while every worker is busy. Default 10 per worker of <see cref="MaxWorkers"/>; 0 lets none wait.
    /// When it is full, calls from code wait outside the queue until their token or deadline ends, and calls over HTTP are rejected with 503.
    /// </summary>
    public int QueueLimit { get => (int)_values.Get(10 * MaxWorkers)!; set => _values.Set(value); }

    /// <summary>
    /// Additional workers that are started once every worker has been busy for as long as a start takes, within <see cref="MaxWorkers"/>,
    /// so that the next caller finds a ready worker. Default 1; 0 to <see cref="MaxWorkers"/>. They exit after the idle timeout: an idle
    /// pool has only its minimum of workers.
    /// </summary>
    public int StandbyWorkers { get => (int)_values.Get(1)!; set => _values.Set(value); }

    /// <summary>How long a worker above <see cref="MinWorkers"/> is kept without a call. Default 10 s; <c>null</c> keeps it without a limit.</summary>
    public TimeSpan? IdleTimeout { get => _values.Get(TimeSpan.FromSeconds(10)) is TimeSpan value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// How long a worker may continue with a cancelled call, counted from the later of the cancellation and the start of the call's
    /// code; then it is killed with everything it started. Default 2 s; zero kills at once. A worker that is asked to exit has the same
    /// time, but at least 2 s.
    /// </summary>
    public TimeSpan CancelGrace { get => (TimeSpan)_values.Get(TimeSpan.FromSeconds(2))!; set => _values.Set(value); }

    /// <summary>How long a worker may take from its start until it is READY with its services built; then it is killed. Default 10 s; more than zero.</summary>
    public TimeSpan StartTimeout { get => (TimeSpan)_values.Get(TimeSpan.FromSeconds(10))!; set => _values.Set(value); }

    /// <summary>
    /// How many workers may fail within 10 s before they run a call. Default 5; 1 to 1,000. Then no worker is started for 1 s, doubling up
    /// to 30 s, and calls that find no worker fail at once (WEIR2014).
    /// </summary>
    public int RestartBudget { get => (int)_values.Get(5)!; set => _values.Set(value); }

    /// <summary>
    /// How many calls a worker runs at a time. Default 1: a call that computes has its worker for itself, and a worker failure loses only
    /// the call that ran. Up to 256, for operations that mostly wait: asynchronous operations run concurrently, synchronous ones one after
    /// the other on one thread. Further calls wait in the queue.
    /// </summary>
    public int Concurrency { get => (int)_values.Get(1)!; set => _values.Set(value); }

    /// <summary>
    /// Whether a worker warms up its services before it accepts calls: those whose classes implement <see cref="IWarmUp"/>. Default
    /// <c>true</c>. The warm-up counts towards <see cref="StartTimeout"/>.
    /// </summary>
    public bool WarmUp { get => (bool)_values.Get(true)!; set => _values.Set(value); }

    /// <summary>
    /// How many calls a worker may get before it is replaced; its replacement is ready first. Default <c>null</c>, any number; otherwise 1
    /// or more. With ten or more, each worker gets up to a tenth fewer, so that they are not all replaced at once.
    /// </summary>
    public long? MaxCallsPerWorker { get => _values.Get(null) is long value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// How old a worker may become before it is replaced, between two calls; its replacement is ready first. Default <c>null</c>, any age;
    /// otherwise more than zero. Each worker gets up to a tenth less, so that they are not all replaced at once.
    /// </summary>
    public TimeSpan? MaxWorkerAge { get => _values.Get(null) is TimeSpan value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// A worker that uses more private memory than this, in bytes, is replaced after its calls; no call is interrupted. The memory is
    /// checked after calls, at most once a second. Default <c>null</c>, no limit; otherwise 16 MB or more, and less than
    /// <see cref="MemoryLimitBytes"/>. An idle worker uses 3 to 4 MB. Linux and Windows.
    /// </summary>
    public long? MemorySoftLimitBytes { get => _values.Get(null) is long value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// How often a call of an operation marked <c>[Idempotent]</c> is retried after its worker failed while it ran the call, as long as no
    /// item was received or requested. Default 2; 0 to 100. Calls of operations without the mark are never run twice.
    /// </summary>
    public int MaxRetries { get => (int)_values.Get(2)!; set => _values.Set(value); }

    /// <summary>
    /// How many workers may fail because of one call (the same operation with the same arguments) before such calls are rejected for
    /// <see cref="QuarantineTime"/> (WEIR2011). Default 2; 0 to 100, where 0 rejects nothing. When such a call is answered, its count is
    /// reset. A SIGKILL or SIGTERM that Weir did not send and that no memory limit explains is not counted until there are five.
    /// </summary>
    public int QuarantineKills { get => (int)_values.Get(2)!; set => _values.Set(value); }

    /// <summary>
    /// How long a worker failure counts against the call that the worker ran, and so how long such calls are rejected after
    /// <see cref="QuarantineKills"/> failures. Default 1 minute; zero to 49 days, where zero rejects nothing.
    /// </summary>
    public TimeSpan QuarantineTime { get => (TimeSpan)_values.Get(TimeSpan.FromMinutes(1))!; set => _values.Set(value); }

    /// <summary>
    /// How long a worker that should have started a call may give no response before it is killed, for example because its process was
    /// stopped or its threads are deadlocked. Default 10 s; <c>null</c> waits without a limit. It never applies to a call that runs.
    /// </summary>
    public TimeSpan? SilenceTimeout { get => _values.Get(TimeSpan.FromSeconds(10)) is TimeSpan value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// The most memory of a worker in bytes: heap, native allocations and private mappings together (RLIMIT_DATA); in a control group
    /// of its own also the memory of everything it starts. Three quarters of it are for the garbage-collected heap, as in a container.
    /// 128 MB or more; <c>null</c> is no limit. Default: <c>null</c>, but where the memory of the host is bounded by a control group, as in a
    /// container, a part of that, which is determined when the application starts and logged (event 4343); to have no limit there too, set
    /// <c>null</c>. At the limit the running call is lost with the cause out of memory.
    /// </summary>
    public long? MemoryLimitBytes { get => _values.Get(DerivedMemoryLimitBytes) is long value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// The scheduling priority of workers, relative to the host: <c>BelowNormal</c> is ten nice levels below the host's own, <c>Idle</c>
    /// is the lowest one, <c>AboveNormal</c> and <c>High</c> are six and eleven levels above, for which the host needs CAP_SYS_NICE.
    /// Default <c>BelowNormal</c>: a worker that computes does not slow down the host's responses. <c>RealTime</c> is rejected.
    /// </summary>
    public ProcessPriorityClass Priority { get => (ProcessPriorityClass)_values.Get(ProcessPriorityClass.BelowNormal)!; set => _values.Set(value); }

    /// <summary>
    /// The processors that workers may run on, by their numbers from 0; their runtime sees the same number. Default
    /// <c>null</c>, those of the host; otherwise at least one number, each below 8,192.
    /// </summary>
    public IList<int>? Processors { get => _values.GetList<int>(); set => _values.Set(value); }

    /// <summary>
    /// Whether every worker gets a control group of its own, which contains the worker and everything it starts, so that all of it ends
    /// with the worker. Default <see cref="ControlGroupUse.WhereDelegated"/>. <see cref="ProcessLimit"/> and <see cref="CpuLimit"/> need
    /// a control group, so they require one as <see cref="ControlGroupUse.Always"/> does.
    /// </summary>
    public ControlGroupUse ControlGroup { get => (ControlGroupUse)_values.Get(ControlGroupUse.WhereDelegated)!; set => _values.Set(value); }

    /// <summary>
    /// The most processes and threads of a worker and everything it starts. Default <c>null</c>, no limit; otherwise 16 or more: a runtime
    /// needs about ten. At the limit no process or thread can be started, which code mostly sees as out of memory.
    /// </summary>
    public int? ProcessLimit { get => _values.Get(null) is int value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// How much processor time a worker and everything it starts may use, in processors: 0.5 is half of one. Default <c>null</c>, no limit;
    /// otherwise 0.01 to 8,192. At the limit it is paused until the next period of 100 ms. Its runtime sees the same number, rounded up.
    /// </summary>
    public double? CpuLimit { get => _values.Get(null) is double value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// How much more likely than the host a worker is killed when the machine runs out of memory: added to the host's own
    /// <c>oom_score_adj</c>. Default 500; 0 to 1,000. The sum is limited to 1,000.
    /// </summary>
    public int OomScoreAdjustment { get => (int)_values.Get(500)!; set => _values.Set(value); }

    /// <summary>
    /// The host's environment variables that workers inherit: names, or prefixes of names followed by <c>*</c>. Default <c>null</c>, all;
    /// an empty list means none. Variables that would load other code into a worker, such as start-up hooks and profilers, are never
    /// inherited; those that say where the .NET runtime is (<c>DOTNET_ROOT</c>) always are.
    /// </summary>
    public IList<string>? InheritedVariables { get => _values.GetList<string>(); set => _values.Set(value); }

    /// <summary>
    /// The sections of the host's configuration that workers inherit, as in <c>ConnectionStrings</c> or <c>Reports:Printer</c>: each with
    /// everything below it. Default <c>null</c>, all but the section <c>Weir</c>; an empty list means none. At most 1 MB together with
    /// <see cref="Configuration"/>; with more, the pool does not start, and no further worker does (WEIR3013). It is read when a worker starts
    /// and does not change in the worker, and is sent only where a <see cref="WorkerServicesAttribute"/> method runs in the pool. A host's
    /// configuration usually contains its environment variables too, regardless of <see cref="InheritedVariables"/>.
    /// </summary>
    public IList<string>? InheritedConfiguration { get => _values.GetList<string>(); set => _values.Set(value); }

    /// <summary>
    /// Environment variables of every worker; they override what it inherits and what Weir sets for the runtime. Visible to every
    /// process of the same user, so not for secrets: those belong in <see cref="Configuration"/>. Default empty. Those of
    /// <see cref="WeirOptions.PoolDefaults"/> are added when the pool starts; the pool's own entry of a name overrides theirs.
    /// </summary>
    public IDictionary<string, string> EnvironmentVariables => _values.EnvironmentVariables;

    /// <summary>The working directory of workers; it must exist. A relative path is relative to the host's. Default <c>null</c>, the host's own.</summary>
    public string? WorkingDirectory { get => (string?)_values.Get(null); set => _values.Set(value); }

    /// <summary>
    /// Whether a worker is used even if a limit could not be applied to it. Default <c>false</c>: then the application does not start,
    /// or the worker does not (WEIR3003). The log and <see cref="WorkerSnapshot.Limits"/> name the limits that are missing.
    /// </summary>
    public bool BestEffort { get => (bool)_values.Get(false)!; set => _values.Set(value); }

    /// <summary>The most bytes of one call's arguments, of a result, or of an item. Default 64 MB; 1 KB to 64 MB. With more, the call fails (WEIR2017).</summary>
    public int PayloadLimitBytes { get => (int)_values.Get(FrameReader.DefaultMostPayload)!; set => _values.Set(value); }

    /// <summary>
    /// How long the reader of a stream may read nothing while 256 KB wait for it; then the stream is ended, so that it does not occupy
    /// its worker. Default 30 s; <c>null</c> waits without a limit.
    /// </summary>
    public TimeSpan? StallTimeout { get => _values.Get(TimeSpan.FromSeconds(30)) is TimeSpan value ? value : null; set => _values.Set(value); }

    /// <summary>
    /// Whether operations that take a <see cref="System.Security.Claims.ClaimsPrincipal"/> or an <see cref="OperationContext"/>, and workers in another language, get who makes the call: identities
    /// and claims, 64 KB at most, never tickets or tokens. With more the call fails (WEIR2017). Default <c>true</c>; with <c>false</c> such a parameter is a principal that is not
    /// authenticated, and <see cref="OperationContext.User"/> is <c>null</c> in the worker. The same where isolated operations run in the host.
    /// </summary>
    public bool SendsCaller { get => (bool)_values.Get(true)!; set => _values.Set(value); }

    /// <summary>
    /// Entries of <see cref="WorkerStartup.Configuration"/> in every worker; they override what it inherits from the host. They are sent over
    /// the private channel, never in arguments or environment, so they may contain secrets. Default empty; at most 1 MB. Entries of
    /// <see cref="WeirOptions.PoolDefaults"/> are added when the pool starts; the pool's own entry of a name overrides theirs.
    /// </summary>
    public IDictionary<string, string> Configuration => _values.Configuration;

    /// <summary>
    /// Adds a file that all workers of the pool read and none copies: <see cref="WorkerStartup.SharedData"/>. It is read once, before the first
    /// worker of a pool that names it starts, into memory that all workers map read-only, those of every other pool that names the same file
    /// too; a reload of the pool reads it again. At most 64 names in a pool. Two pools of an application that have other sources under the same
    /// name are refused. A name that was added before gets this source instead. In the configuration: <c>SharedData:model</c>.
    /// </summary>
    /// <param name="name">Its name, 1 to 64 characters; case is ignored.</param>
    /// <param name="path">The file, which must exist when the application starts. A relative path is relative to the host's working directory.</param>
    public void AddSharedData(string name, string path)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentException.ThrowIfNullOrEmpty(path);
        _values.SharedData[name] = new SharedDataSource(Path.GetFullPath(path), null);
    }

    /// <summary>The same for data that is not in a file. Pools share one copy where they add the same delegate under the same name.</summary>
    /// <param name="name">Its name, 1 to 64 characters; case is ignored.</param>
    /// <param name="open">
    /// Opens the data, which is read to its end and disposed. Called on the thread pool when the first worker needs it, and by each reload; the
    /// token is cancelled when no pool waits for it any more. If it throws, no worker starts (WEIR2024), and a reload changes nothing.
    /// </param>
    public void AddSharedData(string name, Func<CancellationToken, ValueTask<Stream>> open)
    {
        ArgumentNullException.ThrowIfNull(name);
        ArgumentNullException.ThrowIfNull(open);
        _values.SharedData[name] = new SharedDataSource(null, open);
    }

    /// <summary>
    /// The names that <see cref="AddSharedData(string, string)"/> added. Default empty. Those of <see cref="WeirOptions.PoolDefaults"/> are added when
    /// the pool starts; the pool's own entry of a name overrides theirs.
    /// </summary>
    public IReadOnlyCollection<string> SharedData => _values.SharedData.Keys;

    /// <summary>Their sources; without the entries of the defaults unless it is a copy.</summary>
    internal IReadOnlyDictionary<string, SharedDataSource> SharedDataSources => _values.SharedData;

    /// <summary>
    /// Sets the options that a configuration section contains and leaves the others unchanged; for pools without an application. Keys are
    /// the names of the options; times are written <c>00:00:10</c>.
    /// </summary>
    /// <param name="section">The options of one pool.</param>
    /// <exception cref="InvalidOperationException">A key is not known, or its value is not valid (WEIR3002).</exception>
    public void Bind(IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(section);
        PoolKeys.All.Bind(this, section);
    }

    /// <summary>
    /// Called for every worker that ended without being asked to, could not be started, or had to be killed. It runs on the thread pool,
    /// possibly several times at once, after the lost calls have completed; what it throws is logged. A drain of the pool completes
    /// only after it has returned, so it must not wait for one. In code only. Default <c>null</c>: the log has every report anyway.
    /// </summary>
    public Action<CrashReport>? OnCrash { get => (Action<CrashReport>?)_values.Get(null); set => _values.Set(value); }

    /// <summary>
    /// Keeps a minidump of a worker that is killed because a cancelled call did not end within <see cref="CancelGrace"/>, or because the worker stalled, in a folder that is
    /// bounded: <see cref="CrashReport.DumpPath"/>. Writing may take up to 30 s, then the worker is killed without it; until the kill the worker keeps its place in the
    /// pool. Default <c>null</c>: nothing is written to a disk. .NET workers on Linux with the runtime's <c>createdump</c>; elsewhere the pool does not start (WEIR3002).
    /// </summary>
    public DumpOptions? Dumps { get => (DumpOptions?)_values.Get(null); set => _values.Set(value); }

    /// <summary>
    /// The program that workers run, and its arguments: for services that workers in another language serve, as in
    /// <c>["python3", "/app/hash.py"]</c>. A name without a slash is searched on the PATH when a worker is started; if it is missing, the
    /// calls are rejected (WEIR2019), but the application starts. <c>--host</c> and a process id are added as the last arguments. The
    /// command is visible to every user of the machine: secrets belong in <see cref="Configuration"/>. Linux only.
    /// Default <c>null</c>: workers run this application's own services.
    /// </summary>
    public IReadOnlyList<string>? Command { get => (IReadOnlyList<string>?)_values.Get(null); set => _values.Set(value); }

    /// <summary>What starts the workers; <c>null</c> chooses the launcher of the operating system.</summary>
    internal IWorkerLauncher? Launcher { get => (IWorkerLauncher?)_values.Get(null); set => _values.Set(value); }

    /// <summary>How long the stack of a worker that hangs may take.</summary>
    internal TimeSpan StackTime { get => (TimeSpan)_values.Get(TimeSpan.FromMilliseconds(300))!; set => _values.Set(value); }

    /// <summary>The value of <see cref="MemoryLimitBytes"/> where it is not set: of a pool's own copy, in a host whose memory is bounded.</summary>
    internal long? DerivedMemoryLimitBytes { get; set; }

    /// <summary>Whether <see cref="MemoryLimitBytes"/> was set, also to <c>null</c>, by the pool or in the defaults of all pools.</summary>
    internal bool IsMemoryLimitSet => _values.IsSet(nameof(MemoryLimitBytes));

    /// <summary>Whether a value came from <see cref="WeirOptions.PoolDefaults"/>; known of a copy only.</summary>
    /// <param name="name">The name of an option, or of an entry as in <c>EnvironmentVariables:NAME</c>.</param>
    internal bool IsFromDefaults(string name) => _values.IsFromDefaults(name);

    /// <summary>The options that were set to another value than in an earlier copy.</summary>
    internal IEnumerable<string> NamesChangedSince(PoolOptions earlier) => _values.NamesChangedSince(earlier._values);

    /// <summary>Checks everything that can be checked before a worker is started.</summary>
    /// <exception cref="InvalidOperationException">An option contradicts another one or the machine (WEIR3002).</exception>
    internal void Validate(string pool) => new PoolOptionsCheck(this, pool).Run();

    /// <summary>A copy that has the values of the defaults in it.</summary>
    internal PoolOptions Merged() => new(_values.Merged()) { DerivedMemoryLimitBytes = DerivedMemoryLimitBytes };

    /// <summary>The same, as a pool keeps it. Only of validated options: a path that is none is not reported here.</summary>
    internal PoolOptions Copy()
    {
        var copy = Merged();
        copy.WorkingDirectory = WorkingDirectory is null ? null : Path.GetFullPath(WorkingDirectory);
        if (copy.Dumps is { } dumps)
        {
            dumps.Folder = Path.GetFullPath(dumps.Folder);
        }

        return copy;
    }
}
