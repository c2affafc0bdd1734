using System.Diagnostics;
using System.Net.Sockets;
using StreamJsonRpc;
using Weir.Lab.Contenders.Work;
using Weir.Lab.Isolation;

namespace Weir.Lab.NetPeers.OnStreamJsonRpc;

/// <summary>Calls over StreamJsonRpc to processes of its own, each behind a Unix socket; several take turns. It is a channel, not a pool: nothing replaces a process that ends.</summary>
internal sealed class RpcPool : IAsyncDisposable
{
    private readonly List<(Process Process, JsonRpc Rpc, IRpcTasks Tasks)> _workers = [];
    private uint _calls;

    private IRpcTasks Next => _workers[(int)(Interlocked.Increment(ref _calls) % (uint)_workers.Count)].Tasks;

    /// <summary>With so many <c>workers</c>.</summary>
    public static async Task RunAsync(ControlLine settings)
    {
        await using var pool = new RpcPool();
        for (var i = settings.Int("workers"); i > 0; i--)
            await pool.StartAsync();

        var tasks = pool.Tasks();
        PeerLoop.Run(new ControlLine("ready"), async request => request.Verb switch
        {
            "answer" => await tasks.AnswerAsync(request),
            "tasks" => await tasks.OneAtATimeAsync(request),
            "pool" => await tasks.InFlightAsync(request),
            _ => throw new NotSupportedException($"The pool does not know '{request.Verb}'."),
        });
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var (process, rpc, _) in _workers)
        {
            rpc.Dispose();
            await process.WaitForExitAsync();
            process.Dispose();
        }
    }

    private TaskCalls Tasks() => new(
        bytes => new ValueTask<string>(Next.NothingOfAsync(bytes)),
        bytes => new ValueTask<string>(Next.LoadOfAsync(bytes)),
        data => new ValueTask<string>(Next.NothingAsync(data)),
        data => new ValueTask<string>(Next.LoadAsync(data)),
        data => new ValueTask<string>(Next.HashAsync(data)));

    private async Task StartAsync()
    {
        var path = Path.Combine(Path.GetTempPath(), $"weir-lab-{Environment.ProcessId}-{Guid.NewGuid():N}");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(1);
        var process = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, [typeof(RpcPool).Assembly.Location, "jsonrpc-worker", $"path={path}"]))!;
        var rpc = new JsonRpc(RpcConnection.Over(await listener.AcceptAsync()));
        File.Delete(path);
        var tasks = rpc.Attach<IRpcTasks>();
        rpc.StartListening();
        _workers.Add((process, rpc, tasks));
    }
}
