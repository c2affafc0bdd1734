using System.Runtime.CompilerServices;

namespace Weir.Http.FanOut;

/// <summary>The forms of an input as one.</summary>
internal static class Items
{
    /// <summary>A list or an iterator.</summary>
    public static IAsyncEnumerable<T> Of<T>(IEnumerable<T> items) => new Synchronous<T>(items);

    /// <summary>A GET request for each address.</summary>
    public static IAsyncEnumerable<HttpRequestMessage> Requests(IAsyncEnumerable<Uri> addresses) => RequestsAsync(addresses, CancellationToken.None);

    // The token is the enumerator's.
    private static async IAsyncEnumerable<HttpRequestMessage> RequestsAsync(IAsyncEnumerable<Uri> addresses, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (var address in addresses.WithCancellation(cancellationToken).ConfigureAwait(false))
        {
            yield return new HttpRequestMessage(HttpMethod.Get, address);
        }
    }

    private sealed class Synchronous<T>(IEnumerable<T> items) : IAsyncEnumerable<T>
    {
        public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) => new Enumerator(items.GetEnumerator());

        private sealed class Enumerator(IEnumerator<T> items) : IAsyncEnumerator<T>
        {
            public T Current => items.Current;

            public ValueTask<bool> MoveNextAsync() => new(items.MoveNext());

            public ValueTask DisposeAsync()
            {
                items.Dispose();
                return default;
            }
        }
    }
}
