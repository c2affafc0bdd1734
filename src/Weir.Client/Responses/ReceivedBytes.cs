using System.Buffers;
using System.Runtime.CompilerServices;
using Weir.Client.Requests;
using Weir.Runtime;

namespace Weir.Client.Responses;

/// <summary>The bytes that an operation yields, as they arrive; every enumeration is a request. Only the transport says whether they are all.</summary>
internal sealed class ReceivedBytes(ServiceClient client, ClientRequest request, CancellationToken caller) : IAsyncEnumerable<ReadOnlyMemory<byte>>
{
    private const int BufferSize = 32 * 1024;

    public IAsyncEnumerator<ReadOnlyMemory<byte>> GetAsyncEnumerator(CancellationToken cancellationToken = default) => ReadAsync(cancellationToken).GetAsyncEnumerator(CancellationToken.None);

    private async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync([EnumeratorCancellation] CancellationToken enumerating)
    {
        using var token = LinkedToken.Join(caller, enumerating);
        using var limit = new CallLimit(request.Operation.Name, client.Options.Deadline, token.Token);
        using var response = await client.SendAsync(request, limit).ConfigureAwait(false);
        var stream = await ResponseStreams.OpenAsync(response, limit.Token).ConfigureAwait(false);
        var buffer = ArrayPool<byte>.Shared.Rent(BufferSize);
        for (var index = 0L; ; index++)
        {
            int count;
            try
            {
                count = await ResponseStreams.ReadAsync(stream, buffer, 0, client.Options.IdleTimeout, request.Operation.Name, limit.Token).ConfigureAwait(false);
            }
            catch (Exception error)
            {
                // The buffer is not returned: a read that was given up may still write into it.
                limit.ThrowIfReached(error);
                throw new StreamInterruptedException(request.Operation.Name, index, error is TimeoutException ? error.Message : "the connection failed: " + error.Message, error);
            }

            if (count == 0)
            {
                break;
            }

            // The caller may keep it.
            yield return buffer.AsMemory(0, count).ToArray();
        }

        ArrayPool<byte>.Shared.Return(buffer);
    }
}
