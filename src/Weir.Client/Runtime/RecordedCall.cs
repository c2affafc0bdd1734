namespace Weir.Runtime;

/// <summary>A call that was recorded. Immutable.</summary>
/// <param name="request">The request that it would have sent.</param>
/// <param name="codec">How its result, or an item of it, is read: a <see cref="ClientValue{T}"/>; <see cref="Base64Value"/> for bytes; <c>null</c> where there is nothing to read.</param>
internal sealed class RecordedCall(ClientRequest request, object? codec)
{
    internal ClientRequest Request => request;

    internal object? Codec => codec;
}
