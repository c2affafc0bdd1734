using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Npgsql;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>PgBouncer in transaction mode before a server, from Debian's package. It ends with the thread that started it.</summary>
internal sealed class Pooler : IAsyncDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("weir-pgb-").FullName;
    private readonly ManualResetEventSlim _end = new();
    private readonly Thread _parent;
    private readonly int _port;
    private Process? _process;

    private Pooler(int server)
    {
        using (var listener = new TcpListener(IPAddress.Loopback, 0))
        {
            listener.Start();
            _port = ((IPEndPoint)listener.LocalEndpoint).Port;
        }

        var settings = Path.Combine(_folder, "pgbouncer.ini");
        File.WriteAllText(
            settings,
            string.Create(
                CultureInfo.InvariantCulture,
                $"""
                [databases]
                * = host=127.0.0.1 port={server} user=postgres
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = {_port}
                unix_socket_dir =
                auth_type = any
                pool_mode = transaction
                default_pool_size = 4
                max_client_conn = 200

                """));
        List<string> command = ["--pdeathsig", "KILL"];
        if (Environment.IsPrivilegedProcess && !OperatingSystem.IsWindows())
        {
            // It refuses to run as root.
            command.AddRange(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]);
            File.SetUnixFileMode(_folder, File.GetUnixFileMode(_folder) | UnixFileMode.OtherRead | UnixFileMode.OtherExecute);
        }

        using var started = new ManualResetEventSlim();
        _parent = new Thread(() =>
        {
            _process = Process.Start(new ProcessStartInfo("setpriv", [.. command, "--", "/usr/sbin/pgbouncer", "-q", settings]) { WorkingDirectory = "/", RedirectStandardError = true });
            _process!.ErrorDataReceived += static (_, _) => { };
            _process.BeginErrorReadLine();
            started.Set();
            _end.Wait();
        })
        { IsBackground = true, Name = "PgBouncer" };
        _parent.Start();
        started.Wait();
    }

    /// <summary>Through it.</summary>
    public string ConnectionString => string.Create(CultureInfo.InvariantCulture, $"Host=127.0.0.1;Port={_port};Username=postgres;Database=postgres");

    public static async Task<Pooler> StartAsync(int server)
    {
        var pooler = new Pooler(server);
        for (var tries = 0; ; tries++)
        {
            try
            {
                await using var connection = new NpgsqlConnection(pooler.ConnectionString + ";Pooling=false");
                await connection.OpenAsync();
                return pooler;
            }
            catch (NpgsqlException) when (tries < 600 && !pooler._process!.HasExited)
            {
                await Task.Delay(50);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        _process!.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
        _end.Set();
        _parent.Join();
        _end.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
