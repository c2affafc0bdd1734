using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Weir.Jobs.PostgreSql.Tests.Servers;

/// <summary>One process of PostgreSQL with its folder of data. It can be killed and started again.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private static readonly string Programs = Directory.GetDirectories("/usr/lib/postgresql").OrderByDescending(static folder => int.Parse(Path.GetFileName(folder), CultureInfo.InvariantCulture)).First() + "/bin";

    private readonly string[] _settings;
    private readonly string _data;
    private readonly ManualResetEventSlim _end = new();
    private Thread? _parent;
    private Process? _process;

    /// <param name="copyOf">The folder of another server that was stopped, to begin with; empty for a new one.</param>
    /// <param name="settings">Further settings, name=value.</param>
    /// <param name="primary">The port of the server whose standby it is; <c>null</c> for none.</param>
    public ServerProcess(string copyOf, string[] settings, int? primary = null)
    {
        _settings = settings;
        Folder = Directory.CreateTempSubdirectory("weir-pg-").FullName;
        _data = Path.Combine(Folder, "data");
        Port = FreePort();
        if (Environment.IsPrivilegedProcess)
        {
            Run("chown", "postgres", Folder);
        }

        if (copyOf.Length > 0)
        {
            RunAsServer("cp", "-a", copyOf, _data);
        }
        else if (primary is { } port)
        {
            // It writes down where it comes from, and that it is a standby.
            RunAsServer(
                Path.Combine(Programs, "pg_basebackup"), "-D", _data, "-R", "-X", "stream", "-c", "fast", "--no-sync", "-h", "127.0.0.1", "-U", "postgres", "-p", port.ToString(CultureInfo.InvariantCulture));
        }
        else
        {
            RunAsServer(Path.Combine(Programs, "initdb"), "-D", _data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "-N");
        }
    }

    public string Folder { get; }

    public int Port { get; }

    public int Id => _process!.Id;

    public string ConnectionString => string.Create(CultureInfo.InvariantCulture, $"Host=127.0.0.1;Port={Port};Username=postgres;Database=postgres");

    /// <summary>Starts it, and waits until it answers.</summary>
    public async Task StartAsync()
    {
        using var started = new ManualResetEventSlim();
        _end.Reset();

        // A child that is to die with its parent dies with the thread that made it: this one stays as long as the server.
        _parent = new Thread(() =>
        {
            _process = Process.Start(Command(
                [Path.Combine(Programs, "postgres"), "-D", _data, "-p", Port.ToString(CultureInfo.InvariantCulture), "-k", Folder, "-h", "127.0.0.1", .. Settings().SelectMany(static setting => new[] { "-c", setting })], dies: true));
            started.Set();
            _end.Wait();
        })
        { IsBackground = true, Name = "PostgreSQL" };
        _parent.Start();
        started.Wait();
        for (var tries = 0; ; tries++)
        {
            try
            {
                await using var connection = new NpgsqlConnection(ConnectionString + ";Pooling=false");
                await connection.OpenAsync();
                return;
            }
            catch (NpgsqlException) when (tries < 600 && !_process!.HasExited)
            {
                await Task.Delay(50);
            }
        }
    }

    /// <summary>Ends it: at once, as if the machine went down, or after it has written everything.</summary>
    public async Task StopAsync(bool kill = false)
    {
        if (_process is { HasExited: false } process)
        {
            Run("kill", kill ? "-QUIT" : "-INT", process.Id.ToString(CultureInfo.InvariantCulture));
            await process.WaitForExitAsync();
        }

        _end.Set();
        _parent?.Join();
    }

    /// <summary>Kills it with all its processes, and does not wait for anything that it would still do.</summary>
    public async Task KillAsync()
    {
        var processes = (await File.ReadAllTextAsync($"/proc/{Id}/task/{Id}/children")).Split(' ', StringSplitOptions.RemoveEmptyEntries);
        foreach (var process in processes.Prepend(Id.ToString(CultureInfo.InvariantCulture)))
        {
            // Some end by themselves when the first one has.
            using var kill = Process.Start(new ProcessStartInfo("kill", ["-KILL", process]) { RedirectStandardError = true })!;
            await kill.WaitForExitAsync();
        }

        await _process!.WaitForExitAsync();
        await StopAsync();
    }

    public async Task ExecuteAsync(string sql)
    {
        await using var connection = new NpgsqlConnection(ConnectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    /// <summary>Waits until a query says yes.</summary>
    public async Task UntilAsync(string sql)
    {
        await using var connection = new NpgsqlConnection(ConnectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        while (await command.ExecuteScalarAsync(TestContext.Current.CancellationToken) is not true)
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync(kill: true);
        _process?.Dispose();
        _end.Dispose();
        Directory.Delete(Folder, recursive: true);
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private static void Run(string program, params string[] arguments)
    {
        using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, $"{program} {string.Join(' ', arguments)} ended with {process.ExitCode}.");
    }

    private static void RunAsServer(params string[] command)
    {
        var start = Command(command, dies: false);
        Run(start.FileName, [.. start.ArgumentList]);
    }

    // The server refuses to run as root.
    private static ProcessStartInfo Command(string[] command, bool dies)
    {
        List<string> arguments = [];
        if (dies)
        {
            arguments.AddRange(["--pdeathsig", "QUIT"]);
        }

        if (Environment.IsPrivilegedProcess)
        {
            arguments.AddRange(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]);
        }

        return arguments.Count == 0
            ? new ProcessStartInfo(command[0], command[1..]) { WorkingDirectory = "/" }
            : new ProcessStartInfo("setpriv", [.. arguments, "--", .. command]) { WorkingDirectory = "/" };
    }

    // A process that is killed loses nothing that it has written: what a disk keeps is not tested here, and waiting for it would take most of the time.
    private IEnumerable<string> Settings() =>
        ["fsync=off", "shared_buffers=64MB", "max_connections=200", "max_locks_per_transaction=256", "log_min_messages=panic", "log_destination=stderr", "logging_collector=off", "jit=off", "autovacuum_naptime=5s", .. _settings];
}
