using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>Programs of others, and how to get them.</summary>
internal static class Peers
{
    public const string SetUp = "bench/setup-peers.sh";

    // The one that sees Debian's packages, whichever stands first on the PATH.
    public const string DebianPython = "/usr/bin/python3";

    public static Availability Mono { get; } = Program("mono", $"apt-get install mono-runtime, or {SetUp}");

    public static Availability Python { get; } = Program("python3", $"apt-get install python3, or {SetUp}");

    public static Availability Ruby { get; } = Program("ruby", $"apt-get install ruby, or {SetUp}");

    public static Availability Node { get; } = Program("node", $"apt-get install nodejs, or {SetUp}");

    public static Availability Chromium { get; } = Program("chromium", $"apt-get install chromium, or {SetUp}");

    public static Availability Wrk { get; } = Program("wrk", $"apt-get install wrk, or {SetUp}");

    public static Availability Hey { get; } = Program("hey", $"apt-get install hey, or {SetUp}");

    public static Availability Oha { get; } = Program("oha", "cargo install oha");

    // With the event loop and the parser that its server is meant to have, as the interpreter that runs them finds them.
    private static readonly Lazy<Availability> FastApi = new(static () =>
        Tool.FirstLine(DebianPython, "-c", "import fastapi, httptools, uvicorn, uvloop; print('here')") == "here"
            ? Availability.Present
            : Availability.Missing($"apt-get install python3-uvicorn python3-fastapi python3-uvloop python3-httptools, or {SetUp}"));

    /// <summary>A folder of scripts that this repository brings.</summary>
    public static string Scripts { get; } = Path.Combine(BuiltPrograms.Repository, "bench", "peers");

    /// <summary>A package of npm, installed beside the scripts from their lock file.</summary>
    public static Availability NodePackage(string name)
    {
        if (Node is not Availability.Ready)
            return Node;

        return Directory.Exists(Path.Combine(Scripts, "node", "node_modules", name))
            ? Availability.Present
            : Availability.Missing($"npm ci --prefix bench/peers/node, or {SetUp}");
    }

    /// <summary>Another pool as a contender for document 003's task.</summary>
    public static HostedContender Pool(string name, int workers, ControlLine request, ControlLine? warmUp = null)
    {
        var (needs, launch) = Of(name, workers);
        return new HostedContender(name, launch)
        {
            Needs = needs,
            Request = request,
            WarmUpRequest = warmUp,
            Question = new ControlLine("answer").With("bytes", request["bytes"]),
            Expected = HelloAnswer.Of(request.Int("bytes")),
        };
    }

    /// <summary>The web frameworks of other ecosystems.</summary>
    public static IReadOnlyList<string> Frameworks { get; } = ["Fastify", "Express", "FastAPI"];

    /// <summary>What a web framework of another ecosystem needs, and how it is started: as its authors say for production.</summary>
    public static (Availability Needs, ProgramLaunch Launch) Framework(string name) => name == "FastAPI"
        ? (FastApi.Value, new ProgramLaunch(DebianPython, [Path.Combine(Scripts, "python", "web.py")]))
        : (NodePackage(name.ToLowerInvariant()), new ProgramLaunch("node", [Path.Combine(Scripts, "node", "server.mjs"), name.ToLowerInvariant()])
        {
            Environment = new Dictionary<string, string> { ["NODE_ENV"] = "production" },
        });

    /// <summary>Python's own pool of processes.</summary>
    public const string ProcessPoolExecutor = "ProcessPoolExecutor (processes)";

    /// <summary>The same for many like tasks at once: its counterpart of a batch.</summary>
    public const string MapInChunks = "ProcessPoolExecutor.map, chunks of 64 (processes)";

    /// <summary>piscina as it is: a worker gets its next task when it has answered.</summary>
    public const string Piscina = "piscina, defaults (threads)";

    /// <summary>piscina with one option that its defaults do not set: a worker gets the next tasks before it has answered.</summary>
    public const string BusyPiscina = "piscina, 16 tasks a worker (threads)";

    /// <summary>workerpool as it is.</summary>
    public const string WorkerpoolThreads = "workerpool, defaults (threads)";

    /// <summary>workerpool with the workers that isolate.</summary>
    public const string WorkerpoolProcesses = "workerpool (processes)";

    /// <summary>No pool, but how .NET programs call each other: the channel alone.</summary>
    public const string StreamJsonRpc = "StreamJsonRpc (processes)";

    /// <summary>The pools of others for one task at a time. A worker of piscina never has two then.</summary>
    public static IReadOnlyList<string> Pools { get; } = [ProcessPoolExecutor, Piscina, WorkerpoolThreads, WorkerpoolProcesses, StreamJsonRpc];

    /// <summary>The same for many tasks in flight.</summary>
    public static IReadOnlyList<string> PoolsInFlight { get; } = [ProcessPoolExecutor, Piscina, BusyPiscina, WorkerpoolThreads, WorkerpoolProcesses, StreamJsonRpc];

    /// <summary>Those whose workers can be killed.</summary>
    public static IReadOnlyList<string> PoolsOfProcesses { get; } = [ProcessPoolExecutor, WorkerpoolProcesses];

    /// <summary>What another pool needs, and how it is started.</summary>
    public static (Availability Needs, ProgramLaunch Launch) Of(string pool, int workers)
    {
        var count = workers.ToString(CultureInfo.InvariantCulture);
        return pool switch
        {
            ProcessPoolExecutor or MapInChunks => (Python, new ProgramLaunch("python3", [Path.Combine(Scripts, "python", "pool.py"), count])),
            Piscina => InNode("piscina", "1"),
            BusyPiscina => InNode("piscina", "16"),
            WorkerpoolThreads => InNode("workerpool", "thread"),
            WorkerpoolProcesses => InNode("workerpool", "process"),
            StreamJsonRpc => (Availability.Present, ProgramLaunch.OfNetPeers("jsonrpc", $"workers={count}")),
            _ => throw new ArgumentException($"There is no pool '{pool}'.", nameof(pool)),
        };

        (Availability Needs, ProgramLaunch Launch) InNode(string package, string option) =>
            (NodePackage(package), new ProgramLaunch("node", [Path.Combine(Scripts, "node", "pool.mjs"), package, count, option]));
    }

    private static Availability Program(string name, string install) =>
        Tool.Find(name) is null ? Availability.Missing(install) : Availability.Present;
}
