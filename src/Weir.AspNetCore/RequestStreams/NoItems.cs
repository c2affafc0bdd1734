using Weir.Runtime;

namespace Weir.AspNetCore.RequestStreams;

/// <summary>The files of a request that has none.</summary>
internal sealed class NoItems : ItemReader
{
    internal static NoItems Instance { get; } = new();

    public override string Source => "form";

    public override ReadOnlyMemory<byte> Current => default;

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken) => new(false);
}
