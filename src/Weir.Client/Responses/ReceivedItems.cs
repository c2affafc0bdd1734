using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>The items of an operation; every enumeration is a request.</summary>
/// <param name="client">Sends it.</param>
/// <param name="request">The request.</param>
/// <param name="codec">How an item is read.</param>
/// <param name="resumption">How the stream continues after a cut.</param>
/// <param name="from">The index of the first item.</param>
/// <param name="caller">The caller's token.</param>
/// <param name="kept">The name under which the server keeps the items of a job; <c>null</c> where an operation runs for them.</param>
internal sealed class ReceivedItems<T>(
    ServiceClient client, ClientRequest request, ClientValue<T> codec, Resumption resumption, long from, CancellationToken caller, string? kept = null) : IAsyncEnumerable<T>
{
    public IAsyncEnumerator<T> GetAsyncEnumerator(CancellationToken cancellationToken = default) =>
        new ItemEnumerator<T>(client, request, codec, resumption, from, LinkedToken.Join(caller, cancellationToken), kept);
}
