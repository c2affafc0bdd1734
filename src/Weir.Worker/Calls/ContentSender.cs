using System.IO.Pipelines;
using Weir.Runtime;

namespace Weir.Worker.Calls;

/// <summary>
/// Sends the content that an operation returned, piece by piece as there is credit, and disposes it. Status and headers come with the first piece: what
/// fails before that is an ordinary failure.
/// </summary>
/// <param name="run">The call.</param>
/// <param name="answer">Takes the pieces and the outcome.</param>
/// <param name="conditions">What the reader asks for; <c>null</c> for all of the content.</param>
internal readonly struct ContentSender(CallExecution run, CallResponse answer, RequestConditions? conditions)
{
    /// <summary>On return all of the content was sent, and the RESULT that reports this is encoded.</summary>
    /// <param name="call">Its result is the content.</param>
    /// <exception cref="InvalidOperationException">There is no content, or it is shorter or longer than the operation said.</exception>
    public async ValueTask SendAllAsync(Call call)
    {
        var content = call.Result switch
        {
            Stream stream => stream,
            PipeReader reader => reader.AsStream(),
            _ => throw new InvalidOperationException($"{call.Operation} returned null in place of content; return Stream.Null."),
        };
        Exception? failure = null;
        try
        {
            await SendAsync(call, content);
        }
        catch (Exception thrown)
        {
            failure = thrown;
            throw;
        }
        finally
        {
            await run.DisposeAsync(content, failure);
        }
    }

    private async ValueTask SendAsync(Call call, Stream content)
    {
        var token = run.Stop.Token;
        var selection = ContentSelection.Of(call.Operation, content, call.Context?.StatusCode, call.Context is { HasHeaders: true } chosen ? chosen.Headers : null, conditions);
        var selected = new SelectedContent(content, selection);
        var (status, headers) = (selection.Status ?? call.Context?.StatusCode, selection.Headers());
        for (var isBegun = false; ; isBegun = true)
        {
            token.ThrowIfCancellationRequested();
            if (!isBegun && (status is not null || headers.Count > 0))
            {
                answer.EncodeHead(call.Operation, status, headers);
            }

            var piece = Math.Clamp(answer.MostPayload - answer.HeadLength, 1, ContentItems.PieceSize);
            var read = await selected.ReadAsync(answer.Item.GetMemory(piece)[..piece], token);
            if (read == 0)
            {
                break;
            }

            answer.Item.Advance(read);
            await run.Credit!.TakeAsync(answer.Item.Length - answer.HeadLength, token);
            answer.SendItem(run.CallId, ResultEncoding.Raw);
        }

        answer.EndContent();
    }
}
