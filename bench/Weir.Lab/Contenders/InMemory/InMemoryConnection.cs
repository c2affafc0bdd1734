using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;

namespace Weir.Lab.Contenders.InMemory;

/// <summary>One connection; the server reads what the client writes, and the other way round.</summary>
internal sealed class InMemoryConnection : ConnectionContext
{
    private readonly Pipe _toServer = new(new PipeOptions(useSynchronizationContext: false));
    private readonly Pipe _toClient = new(new PipeOptions(useSynchronizationContext: false));

    public InMemoryConnection() => Transport = new Duplex(_toServer.Reader, _toClient.Writer);

    /// <summary>The client's side.</summary>
    public PipeWriter Requests => _toServer.Writer;

    /// <summary>The client's side.</summary>
    public PipeReader Responses => _toClient.Reader;

    public override string ConnectionId { get; set; } = "in-memory";

    public override IFeatureCollection Features { get; } = new FeatureCollection();

    public override IDictionary<object, object?> Items { get; set; } = new Dictionary<object, object?>();

    public override IDuplexPipe Transport { get; set; }

    /// <summary>The client goes: the server reads to the end.</summary>
    public void Leave()
    {
        Requests.Complete();
        Responses.Complete();
    }

    private sealed record Duplex(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
