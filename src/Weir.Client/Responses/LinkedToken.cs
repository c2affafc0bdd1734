namespace Weir.Client.Responses;

/// <summary>The token of a caller who may have given two: to the method and to the enumeration.</summary>
internal readonly struct LinkedToken : IDisposable
{
    private readonly CancellationTokenSource? _source;

    private LinkedToken(CancellationTokenSource? source, CancellationToken token) => (Token, _source) = (token, source);

    /// <summary>Fires when either does.</summary>
    internal CancellationToken Token { get; }

    internal static LinkedToken Join(CancellationToken one, CancellationToken other)
    {
        if (!other.CanBeCanceled || one == other)
        {
            return new LinkedToken(null, one);
        }

        if (!one.CanBeCanceled)
        {
            return new LinkedToken(null, other);
        }

        var source = CancellationTokenSource.CreateLinkedTokenSource(one, other);
        return new LinkedToken(source, source.Token);
    }

    public void Dispose() => _source?.Dispose();
}
