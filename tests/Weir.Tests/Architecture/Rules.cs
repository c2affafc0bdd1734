namespace Weir.Tests.Architecture;

/// <summary>What must be absent according to <c>docs/architecture.md</c>.</summary>
internal static class Rules
{
    // APIs that start another program.
    private static readonly string[] Spawning =
        ["Process.Start", "ProcessStartInfo", "posix_spawn*", "execv*", "fork", "vfork", "clone3"];

    // APIs that listen on the network, or could.
    private static readonly string[] Ports =
        ["System.Net", "Socket", "TcpListener", "UdpClient", "HttpListener", "QuicListener", "NamedPipeServerStream", "AspNetCore", "WebApplication", "listen", "accept*"];

    private static readonly string[] Reflection =
    [
        "System.Reflection", "Activator", "Type.GetType", "MakeGenericType", "MakeGenericMethod", "MakeArrayType",
        "GetMethod", "GetMethods", "GetProperty", "GetProperties", "GetField", "GetFields", "GetConstructor",
        "GetConstructors", "GetMember", "GetMembers", "GetCustomAttribute", "GetCustomAttributes", "InvokeMember",
        "DynamicInvoke", "Expressions", "Expression", "DynamicMethod", "AssemblyBuilder", "dynamic", "Assembly.Load*", "Assembly.Get*",
        "AssemblyLoadContext", "AppDomain",
    ];

    private static readonly string[] Shipped = ["Abstractions", "Protocol", "Execution", "Worker", "AspNetCore", "Http", "Client", "Client.Extensions", "OpenApi", "Jobs.AspNetCore"];

    /// <summary>Every rule.</summary>
    public static IReadOnlyList<Rule> All { get; } =
    [
        new("src/Weir.AspNetCore", "the server never says process") { Words = ["process", "processes"] },
        new("src/Weir.Execution", "execution never says HttpContext") { Phrases = ["HttpContext", "AspNetCore"] },
        new("src/Weir.Protocol", "the protocol has no I/O of its own")
        {
            Phrases = ["System.IO.Pipes", "System.Net", "Socket", "FileStream", "File", "Thread", "Task.Run", "Task.Factory", "Console", "LibraryImport", "Process"],
        },
        new("src/Weir.Protocol", "the protocol knows no handler")
        {
            Phrases = ["ServiceCatalog", "IServiceProvider", "InvokeAsync", "CallInvoker"],
        },
        new("src/Weir.Worker", "a worker opens no port") { Phrases = Ports },
        new("src/Weir.Execution/Pools/Scheduling", "a pool's decisions know no clock and do nothing themselves")
        {
            Phrases = ["TimeProvider", "Stopwatch", "Task", "ValueTask", "Thread", "ILogger", "File", "Environment", "Random", "Lock", "Monitor"],
        },
        new("src", "only Weir.Execution/Processes starts a process")
        {
            Phrases = Spawning,

            // A foreign worker: its program replaces the current process, and no other process is started. The tool has a project built.
            Except = ["src/Weir.Execution/Processes", "src/Weir.Worker/Platform/ProgramExec.cs", "src/Weir.Cli/Contracts/ProjectBuild.cs"],
        },
        .. Shipped.Select(project => new Rule($"src/Weir.{project}", "nothing at run time is found by reflection")
        {
            Phrases = Reflection,
            Except = project switch
            {
                "Worker" => ["src/Weir.Worker/Start/ApplicationCatalogs.cs"],

                // It names the attribute by which the runtime finds its handler of hot reloads; it looks for nothing itself.
                "Execution" => ["src/Weir.Execution/HotReload.cs"],
                "AspNetCore" => ["src/Weir.AspNetCore/Filters/OperationMethod.cs"],
                _ => [],
            },
        }),
        new("tests/Weir.Tests", "unit tests have no sockets, no processes, and do not sleep")
        {
            Phrases = ["Thread.Sleep", "Task.Delay", "Process.Start", "Socket", "TcpListener", "WebApplication", "HttpClient"],
        },
    ];
}
