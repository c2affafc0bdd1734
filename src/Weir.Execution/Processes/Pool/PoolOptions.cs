using System.Text;
using Weir.Execution.Processes;
using Weir.Protocol;

namespace Weir.Execution;

/// <summary>One pool of worker processes. Copied when the pool starts.</summary>
public sealed class PoolOptions
{
    // RLIMIT_DATA below this keeps the runtime itself from starting.
    private const long LeastMemory = 128L << 20;
    private const int MostConfiguration = 1_000_000;
    private const int MostWorkers = 1024;
    private const int MostRestarts = 1000;

    // What a timer takes.
    private static readonly TimeSpan LongestTime = TimeSpan.FromDays(49);

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
    /// The most memory of a worker in bytes: heap, native allocations and private mappings together (RLIMIT_DATA, applied from
    /// outside before the worker hears anything). Default <c>null</c>, no limit; otherwise 128 MB or more.
    /// </summary>
    public long? MemoryLimitBytes { get; set; }

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
    public IDictionary<string, string> Configuration { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

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
    internal void Validate(string pool)
    {
        Require(MaxWorkers is >= 1 and <= MostWorkers, nameof(MaxWorkers), $"{MaxWorkers}", $"set it to 1 to {MostWorkers}");
        Require(MinWorkers >= 0 && MinWorkers <= MaxWorkers, nameof(MinWorkers), $"{MinWorkers}", $"set it to 0 to MaxWorkers ({MaxWorkers})");
        Require(QueueLimit is >= 0 and <= 1_000_000, nameof(QueueLimit), $"{QueueLimit}", "set it to 0 to 1,000,000");
        Require(IdleTimeout is null || IsPositive(IdleTimeout.Value), nameof(IdleTimeout), $"{IdleTimeout}", "set it to more than zero and at most 49 days, or to null to keep idle workers");
        Require(CancelGrace == TimeSpan.Zero || IsPositive(CancelGrace), nameof(CancelGrace), $"{CancelGrace}", "set it to zero to 49 days");
        Require(IsPositive(StartTimeout), nameof(StartTimeout), $"{StartTimeout}", "set it to more than zero and at most 49 days");
        Require(RestartBudget is >= 1 and <= MostRestarts, nameof(RestartBudget), $"{RestartBudget}", $"set it to 1 to {MostRestarts}");
        Require(MemoryLimitBytes is null or >= LeastMemory, nameof(MemoryLimitBytes), $"{MemoryLimitBytes}", $"set it to {LeastMemory} (128 MB) or more, below which the runtime does not start, or to null for no limit");
        Require(
            PayloadLimitBytes is >= 1024 and <= FrameReader.DefaultMostPayload, nameof(PayloadLimitBytes), $"{PayloadLimitBytes}",
            $"set it to 1,024 to {FrameReader.DefaultMostPayload}, and stream what is larger");
        Require(StallTimeout is null || IsPositive(StallTimeout.Value), nameof(StallTimeout), $"{StallTimeout}", "set it to more than zero and at most 49 days, or to null to wait for ever");
        Require(Command is null || (Command.Count > 0 && !Command.Any(string.IsNullOrEmpty)), nameof(Command), "empty, or has an empty argument", "name a program and its arguments, or set it to null to run this application's own services");
        var configured = Configuration.Sum(static pair => Encoding.UTF8.GetByteCount(pair.Key) + Encoding.UTF8.GetByteCount(pair.Value) + 8);
        Require(configured <= MostConfiguration, nameof(Configuration), $"{configured} bytes", $"make it {MostConfiguration} bytes or less");

        static bool IsPositive(TimeSpan time) => time > TimeSpan.Zero && time <= LongestTime;

        void Require(bool holds, string option, string value, string step)
        {
            if (!holds)
            {
                throw new InvalidOperationException($"{option} of pool '{pool}' is {value}; {step}. See {WeirCodes.InvalidOptions}.");
            }
        }
    }

    internal PoolOptions Copy()
    {
        var copy = new PoolOptions
        {
            MinWorkers = MinWorkers,
            MaxWorkers = MaxWorkers,
            QueueLimit = QueueLimit,
            IdleTimeout = IdleTimeout,
            CancelGrace = CancelGrace,
            StartTimeout = StartTimeout,
            RestartBudget = RestartBudget,
            MemoryLimitBytes = MemoryLimitBytes,
            PayloadLimitBytes = PayloadLimitBytes,
            StallTimeout = StallTimeout,
            Command = Command is null ? null : [.. Command],
            Launcher = Launcher,
        };
        foreach (var (key, value) in Configuration)
        {
            copy.Configuration[key] = value;
        }

        return copy;
    }
}
