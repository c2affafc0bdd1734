using Weir.Lab.Isolation;

namespace Weir.Lab.Processes;

/// <summary>A server in a process of its own, and the processes of the clients that are measured against it, for all cases of an experiment.</summary>
internal sealed class SharedServer(ProgramLaunch launch) : IAsyncDisposable
{
    private readonly Lazy<Task<ContenderProcess>> _process = new(() => ContenderProcess.StartAsync(launch, CancellationToken.None));

    public SharedProcesses Clients { get; } = new();

    /// <summary>The address of a path, once the server is ready; the first call starts it.</summary>
    /// <param name="path">Begins with a slash.</param>
    /// <param name="tls">Whether over TLS, which the server must offer then.</param>
    public async Task<Uri> AddressAsync(string path, bool tls)
    {
        var ready = (await _process.Value).Ready;
        return new Uri(tls ? $"https://127.0.0.1:{ready["tls"]}{path}" : $"http://127.0.0.1:{ready["port"]}{path}");
    }

    /// <summary>Asks the server something that has one line as answer. One question at a time.</summary>
    public async Task<ControlLine> AskAsync(ControlLine request, CancellationToken cancellation) => await (await _process.Value).AskAsync(request, cancellation);

    public async ValueTask DisposeAsync()
    {
        await Clients.DisposeAsync();
        if (_process.IsValueCreated)
            await (await _process.Value).DisposeAsync();
    }
}
