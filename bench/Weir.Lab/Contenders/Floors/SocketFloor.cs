using System.Diagnostics;
using System.Net.Sockets;
using Weir.Lab.Engine;

namespace Weir.Lab.Contenders.Floors;

/// <summary>What a call to another process costs over a blocking Unix socket when there is nothing but the socket.</summary>
internal sealed class SocketFloor(RoundTrips trips) : Contender("floor socket")
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"weir-lab-{Environment.ProcessId}-{Guid.NewGuid():N}");
    private Process? _process;
    private Socket? _socket;

    public override async Task PrepareAsync(CancellationToken cancellation)
    {
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(_path));
        listener.Listen(1);
        var launch = trips.Launch($"path={_path}");
        _process = Process.Start(new ProcessStartInfo(launch.File, launch.Arguments));
        _socket = await listener.AcceptAsync(cancellation);
    }

    public override Task<Round> RunAsync(CancellationToken cancellation) => Task.Factory.StartNew(
        () =>
        {
            using var stream = new NetworkStream(_socket!);
            return trips.Measure(question => stream.Write(question), answer => stream.ReadExactly(answer));
        },
        cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override Task WarmUpAsync(CancellationToken cancellation) => Task.Factory.StartNew(
        () =>
        {
            using var stream = new NetworkStream(_socket!);
            trips.WarmUp(question => stream.Write(question), answer => stream.ReadExactly(answer));
        },
        cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public override async ValueTask DisposeAsync()
    {
        _socket?.Dispose();
        if (_process is not null)
        {
            await _process.WaitForExitAsync(CancellationToken.None);
            _process.Dispose();
        }

        File.Delete(_path);
        await base.DisposeAsync();
    }
}
