using System.Diagnostics;
using System.Globalization;
using Weir.Lab.Engine;
using Weir.Lab.Measuring;

namespace Weir.Lab.Processes;

/// <summary>
/// A PostgreSQL server of the lab's own, with its defaults but for the number of connections, so that a commit is on the disk when it is answered. It has a folder, a socket in it and no port, is started when the first contender needs it,
/// and ends with the lab however that ends.
/// </summary>
/// <param name="settings">What differs from the defaults, name=value.</param>
internal sealed class PostgreSqlServer(params string[] settings) : IAsyncDisposable
{
    /// <summary>Whose databases they are: no superuser.</summary>
    public const string User = "lab";

    private const string Superuser = "postgres";
    private const string Fast = "INT";

    // Ends the server when its input ends, and writes down who it is.
    private const string Script = """log=$1; shift; "$@" 2>>"$log" & server=$!; echo $server; read -r signal; kill -${signal:-QUIT} $server; wait $server""";

    private static readonly string? Programs = FindPrograms();
    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(50);

    private readonly SemaphoreSlim _gate = new(1);

    // As many as there are contenders.
    private readonly HashSet<string> _databases = [];
    private Process? _process;
    private int _pid;

    /// <summary>Whether this machine has a server to start.</summary>
    public static Availability Availability { get; } = Programs is null || Tool.Find("setpriv") is null
        ? Availability.Missing($"apt-get install postgresql, or {Peers.SetUp}")
        : Availability.Present;

    /// <summary>The folder of its data and its socket: short, because the path of a socket has about a hundred bytes.</summary>
    public string Folder { get; } = Path.Combine(Path.GetTempPath(), $"weir-lab-pg-{Guid.NewGuid().ToString("N")[..12]}");

    /// <summary>Its processes, while it runs.</summary>
    public ProcessMeter Meter => new(_pid);

    /// <summary>A database of it for programs on .NET, whether or not it is there yet. Its owner is no superuser.</summary>
    public string Connection(string database) => $"Host={Folder};Username={User};Database={database}";

    /// <summary>Makes a database, once. The first one starts the server.</summary>
    public async Task CreateAsync(string database, CancellationToken cancellation)
    {
        await _gate.WaitAsync(cancellation);
        try
        {
            if (_process is null)
            {
                await InitializeAsync(cancellation);
                await StartAsync(cancellation);
                await AskAsync(Superuser, $"CREATE ROLE {User} LOGIN", cancellation);
            }

            if (_databases.Add(database))
                await AskAsync(Superuser, $"CREATE DATABASE {database} OWNER {User}", cancellation);
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Runs a statement as the superuser, and returns what it prints, without a frame.</summary>
    public Task<string> AskAsync(string database, string sql, CancellationToken cancellation) =>
        RunAsync(Path.Combine(Programs!, "psql"), ["-h", Folder, "-U", Superuser, "-d", database, "-XqAt", "-c", sql], cancellation);

    /// <summary>Takes a snapshot of a database, and holds it in an open transaction until it is disposed.</summary>
    public async Task<IAsyncDisposable> HoldSnapshotAsync(string database, CancellationToken cancellation)
    {
        var start = new ProcessStartInfo(Path.Combine(Programs!, "psql"), ["-h", Folder, "-U", Superuser, "-d", database, "-XqAt"]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        var session = new HeldSession(Process.Start(start)!);
        await session.TakeAsync(cancellation);
        return session;
    }

    /// <summary>Ends the sessions of all contenders, as an administrator would.</summary>
    public Task EndSessionsAsync(CancellationToken cancellation) =>
        AskAsync(Superuser, $"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE usename = '{User}'", cancellation);

    /// <summary>Stops it, which ends all sessions, and starts it again after a time.</summary>
    public async Task RestartAsync(TimeSpan pause, CancellationToken cancellation)
    {
        await StopAsync(Fast);
        await Task.Delay(pause, cancellation);
        await StartAsync(cancellation);
    }

    public async ValueTask DisposeAsync()
    {
        if (_process is null)
            return;

        await StopAsync("QUIT");
        Directory.Delete(Folder, recursive: true);
        _gate.Dispose();
    }

    private static string? FindPrograms() => !Directory.Exists("/usr/lib/postgresql")
        ? null
        : Directory.GetDirectories("/usr/lib/postgresql").Select(static folder => Path.Combine(folder, "bin")).Where(static folder => File.Exists(Path.Combine(folder, "postgres")))
            .OrderByDescending(static folder => folder.Length).ThenByDescending(static folder => folder, StringComparer.Ordinal).FirstOrDefault();

    // It refuses to run as root, and then it is the user of the package.
    private static string[] AsServer(params string[] command) =>
        Environment.IsPrivilegedProcess ? ["setpriv", "--reuid", Superuser, "--regid", Superuser, "--clear-groups", "--", .. command] : command;

    private static async Task<string> RunAsync(string program, IEnumerable<string> arguments, CancellationToken cancellation)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = "/" })!;
        var errors = process.StandardError.ReadToEndAsync(cancellation);
        var output = await process.StandardOutput.ReadToEndAsync(cancellation);
        await process.WaitForExitAsync(cancellation);
        return process.ExitCode == 0 ? output.Trim() : throw new ContenderException($"{program} ended with code {process.ExitCode}. {(await errors).Trim()}");
    }

    private async Task InitializeAsync(CancellationToken cancellation)
    {
        Directory.CreateDirectory(Folder);
        await RunAsync("chmod", ["700", Folder], cancellation);
        if (Environment.IsPrivilegedProcess)
            await RunAsync("chown", [Superuser, Folder], cancellation);
        var command = AsServer(Path.Combine(Programs!, "initdb"), "-D", Path.Combine(Folder, "data"), "-U", Superuser, "-A", "trust", "-E", "UTF8", "--locale=C", "-N");
        await RunAsync(command[0], command[1..], cancellation);
    }

    private async Task StartAsync(CancellationToken cancellation)
    {
        string[] all = ["listen_addresses=", $"unix_socket_directories={Folder}", "max_connections=500", .. settings];
        string[] server = [Path.Combine(Programs!, "postgres"), "-D", Path.Combine(Folder, "data"), .. all.SelectMany(static setting => new[] { "-c", setting })];
        var command = AsServer(["sh", "-c", Script, "sh", Path.Combine(Folder, "log"), .. server]);
        _process = Process.Start(new ProcessStartInfo(command[0], command[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true, WorkingDirectory = "/" })!;
        _pid = int.Parse(await _process.StandardOutput.ReadLineAsync(cancellation) ?? "0", CultureInfo.InvariantCulture);
        for (var began = Clock.Now; ; await Task.Delay(Look, cancellation))
        {
            try
            {
                await AskAsync(Superuser, "SELECT 1", cancellation);
                return;
            }
            catch (ContenderException) when (!_process.HasExited && Clock.SecondsSince(began) < StartPatience.TotalSeconds)
            {
                // It is not there yet.
            }
        }
    }

    private async Task StopAsync(string signal)
    {
        if (_process is not { } process)
            return;

        if (!process.HasExited)
        {
            await process.StandardInput.WriteLineAsync(signal);
            process.StandardInput.Close();
            await process.WaitForExitAsync(CancellationToken.None);
        }

        process.Dispose();
    }

    // A session in a transaction that does nothing more.
    private sealed class HeldSession(Process session) : IAsyncDisposable
    {
        public async Task TakeAsync(CancellationToken cancellation)
        {
            await session.StandardInput.WriteLineAsync("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class;");
            await session.StandardInput.FlushAsync(cancellation);
            if (await session.StandardOutput.ReadLineAsync(cancellation) is null)
                throw new ContenderException("The session that was to hold a snapshot has ended.");
        }

        public async ValueTask DisposeAsync()
        {
            session.StandardInput.Close();
            await session.WaitForExitAsync(CancellationToken.None);
            session.Dispose();
        }
    }
}
