using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using RabbitMQ.Client;

[assembly: AssemblyFixture(typeof(Weir.Jobs.RabbitMq.Tests.Broker.RabbitMqServer))]

namespace Weir.Jobs.RabbitMq.Tests.Broker;

/// <summary>A broker of Debian's package, of its own for this process: files, ports and names are its own, and it ends with this process. Started by the first test that needs it.</summary>
public sealed class RabbitMqServer : IAsyncDisposable
{
    private const string Program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
    private const string User = "rabbitmq";

    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly string _folder = Directory.CreateTempSubdirectory("weir-rabbitmq-").FullName;
    private readonly int _port = FreePort();
    private readonly int _nodePort = FreePort();
    private readonly int _namePort = FreePort();
    private OwnedProcess? _names;
    private OwnedProcess? _node;

    /// <summary>Where it is, for the options of an intake.</summary>
    public string Uri => $"amqp://guest:guest@127.0.0.1:{_port}/";

    /// <summary>Starts it, unless it runs, and waits until it answers.</summary>
    public async Task StartAsync()
    {
        Assert.SkipUnless(File.Exists(Program) && File.Exists("/usr/bin/epmd"), "rabbitmq-server is not installed.");
        await _gate.WaitAsync(TestContext.Current.CancellationToken);
        try
        {
            if (_node is { HasExited: false })
            {
                return;
            }

            if (_names is null)
            {
                await PrepareAsync();

                // The runtime would start one that outlives it.
                _names = Start("/usr/bin/epmd", "-address", "127.0.0.1", "-port", $"{_namePort}");
            }

            _node = Start(Program, "-noinput");
            await WaitAsync();
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Ends it without a chance to say so. Its files stay.</summary>
    public async Task KillAsync()
    {
        _node!.Kill();
        await _node.ExitAsync();
    }

    /// <summary>A connection of a test.</summary>
    public Task<IConnection> ConnectAsync() => new ConnectionFactory { Uri = new Uri(Uri), AutomaticRecoveryEnabled = false }.CreateConnectionAsync(TestContext.Current.CancellationToken);

    public async ValueTask DisposeAsync()
    {
        foreach (var process in new[] { _node, _names })
        {
            if (process is not null)
            {
                process.Kill();
                await process.ExitAsync();
                process.Dispose();
            }
        }

        // What the broker has started ends with it, a moment later, and may still write.
        for (var attempt = 0; Directory.Exists(_folder); attempt++)
        {
            try
            {
                Directory.Delete(_folder, recursive: true);
            }
            catch (IOException) when (attempt < 100)
            {
                await Task.Delay(50);
            }
        }

        _gate.Dispose();
    }

    private async Task PrepareAsync()
    {
        await File.WriteAllTextAsync(Path.Combine(_folder, "plugins"), "[].\n");
        await File.WriteAllTextAsync(Path.Combine(_folder, "env.conf"), "");
        await File.WriteAllTextAsync(Path.Combine(_folder, "rabbitmq.conf"), "log.console = false\nlog.file.level = warning\n");
        if (Environment.UserName == "root")
        {
            using var chown = Process.Start("chown", ["-R", $"{User}:{User}", _folder]);
            await chown.WaitForExitAsync();
            Assert.Equal(0, chown.ExitCode);
        }
    }

    private OwnedProcess Start(string program, params string[] arguments)
    {
        // With the thread that starts it, and so with this process, it ends.
        string[] asUser = Environment.UserName == "root" ? [$"--reuid={User}", $"--regid={User}", "--clear-groups"] : [];
        var start = new ProcessStartInfo("/usr/bin/setpriv", [.. asUser, "--pdeathsig", "KILL", program, .. arguments]) { WorkingDirectory = _folder, RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment.Clear();
        foreach (var (name, value) in new Dictionary<string, string>
        {
            ["PATH"] = "/usr/bin:/bin",
            ["LANG"] = "C.UTF-8",
            ["HOME"] = _folder,
            ["ERL_EPMD_PORT"] = $"{_namePort}",
            ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODENAME"] = $"weir{_port}@localhost",
            ["RABBITMQ_NODE_IP_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODE_PORT"] = $"{_port}",
            ["RABBITMQ_DIST_PORT"] = $"{_nodePort}",
            ["RABBITMQ_MNESIA_BASE"] = Path.Combine(_folder, "data"),
            ["RABBITMQ_LOG_BASE"] = Path.Combine(_folder, "log"),
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = Path.Combine(_folder, "plugins"),
            ["RABBITMQ_CONF_ENV_FILE"] = Path.Combine(_folder, "env.conf"),
            ["RABBITMQ_CONFIG_FILE"] = Path.Combine(_folder, "rabbitmq.conf"),
            ["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2",

            // The script becomes the broker, and has no child that it waits for.
            ["RABBITMQ_ALLOW_INPUT"] = "1",
        })
        {
            start.Environment[name] = value;
        }

        return new OwnedProcess(start);
    }

    private async Task WaitAsync()
    {
        var factory = new ConnectionFactory { Uri = new Uri(Uri), AutomaticRecoveryEnabled = false };
        for (var attempt = 0; ; attempt++)
        {
            try
            {
                await using var connection = await factory.CreateConnectionAsync(TestContext.Current.CancellationToken);
                return;
            }
            catch (Exception failure) when (failure is not OperationCanceledException)
            {
                Assert.False(_node!.HasExited, $"rabbitmq-server has ended: {_node.Said}");
                Assert.True(attempt < 1_200, $"rabbitmq-server does not answer: {failure.Message} {_node.Said}");
                await Task.Delay(100);
            }
        }
    }

    private static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
