using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>The items of an operation; every enumeration is a request.</summary>
internal sealed class ReceivedItems<T>(ServiceClient client, ClientRequest request, ClientValue<T> codec, CancellationToken caller) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new ItemEnumerator<T>(client, request, codec, LinkedToken.Join(caller, cancellationToken));
}
