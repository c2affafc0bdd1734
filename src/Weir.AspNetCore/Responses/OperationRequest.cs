using Microsoft.AspNetCore.Http;
using Weir.AspNetCore.Binding;
using Weir.AspNetCore.Formatting;
using Weir.AspNetCore.RequestStreams;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>
/// One request of an operation, from the choice of its format to its answer: rented, and disposed where it was rented. Until then it owns its
/// buffers and its call. Not for concurrent use.
/// </summary>
/// <param name="shared">Keeps it for other requests.</param>
internal sealed class OperationRequest(EndpointServices shared) : IDisposable
{
    private CallBuffers? _buffers;
    private bool _returnsCall;

    // Kept for the next request.
    private CallRecording? _recording;

    public HttpContext Http { get; private set; } = null!;

    /// <summary>How the result or the items are written.</summary>
    public IFormat Format { get; private set; } = null!;

    /// <summary>Its call; <c>null</c> until its arguments are bound.</summary>
    public Call? Call { get; set; }

    /// <summary>How long the caller waits; <c>null</c> for no limit.</summary>
    public TimeSpan? Limit { get; set; }

    /// <summary>The items of a streamed request, or the bytes of a body that is content; <c>null</c> where there is none.</summary>
    public HttpItemReader? Items { get; set; }

    /// <summary>What the call takes: <see cref="Items"/>, or the files in them; <c>null</c> where it takes nothing that is streamed.</summary>
    public ItemReader? Content { get; set; }

    /// <summary>Who answers it instead of its call; <c>null</c> where the call is run.</summary>
    public ICallDeferral? Deferral { get; set; }

    /// <summary>What is recorded of it; <c>null</c> where nothing is.</summary>
    public CallRecording? Recording { get; private set; }

    /// <summary>What its arguments and its result are in. Not after <see cref="ReturnBuffers"/> or <see cref="Leave"/>.</summary>
    public CallBuffers Buffers => _buffers!;

    /// <summary>Whether the operation reads the body while it runs.</summary>
    public bool IsBodyLent => _buffers is { IsBodyLent: true };

    public void Begin(HttpContext http, IFormat format, Operation? recorded)
    {
        (Http, Format) = (http, format);
        if (recorded is not null && shared.Pipeline.Arrive(recorded, _recording) is { } recording)
        {
            Recording = _recording = recording;
        }

        _buffers ??= shared.RentBuffers();
    }

    /// <summary>Its call has been answered and no other code refers to it: the call is used again.</summary>
    public void ReturnCall() => _returnsCall = true;

    /// <summary>The operation may still run, or other code may: a body that it reads is left to the garbage collector.</summary>
    public void Abandon() => _buffers?.Abandon();

    /// <summary>What was written may still be read: all buffers are left to the garbage collector.</summary>
    public void Leave() => _buffers = null;

    /// <summary>Gives the buffers to other requests before this one is answered: its call refers to nothing in them.</summary>
    public void ReturnBuffers()
    {
        if (_buffers is { } returned)
        {
            _buffers = null;
            returned.Clear();
            shared.Return(returned);
        }
    }

    /// <summary>The request is answered. Not to be used afterwards.</summary>
    public void Dispose()
    {
        var call = _returnsCall ? Call : null;
        if (_buffers is { } used)
        {
            if (Call is { MayStillRun: true })
            {
                used.Abandon();
            }

            if (Call is { Context: not null })
            {
                used.Services.MarkSeen();
            }

            if (used.IsAbandoned)
            {
                _buffers = null;
            }
            else
            {
                used.Clear();
            }
        }

        Recording?.End();
        (Http, Format, Call, Limit, Items, Content, Deferral, Recording, _returnsCall) = (null!, null!, null, null, null, null, null, null, false);
        if (!shared.Return(this) && _recording is { } recording)
        {
            shared.Pipeline.Release(recording);
        }

        call?.Return();
    }
}
