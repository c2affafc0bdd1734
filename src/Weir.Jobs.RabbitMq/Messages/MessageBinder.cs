using System.Diagnostics;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;
using Weir.Runtime;

namespace Weir.Jobs.RabbitMq.Messages;

/// <summary>Makes jobs of messages: their arguments are bound and validated as those of a request are. Any thread.</summary>
/// <param name="options">Of the queue.</param>
/// <param name="kinds">Of this process.</param>
/// <param name="recorder">Makes jobs of calls.</param>
internal sealed class MessageBinder(RabbitMqIntakeOptions options, JobKinds kinds, JobRecorder recorder)
{
    private const int MostIdempotencyKey = 200;

    /// <summary>The job of a message.</summary>
    /// <exception cref="Exception">The message cannot become a job; <see cref="Describe"/> says why.</exception>
    public NewJobRequest Bind(IntakeMessage message)
    {
        var headers = new MessageHeaders(message.Properties.Headers);
        var kind = FindKind(message, headers);
        var submitted = headers.ToOptions();
        submitted.IdempotencyKey = IdempotencyKeyOf(message);
        if (message.Properties.ContentEncoding is { Length: > 0 } encoding && !encoding.Equals("utf-8", StringComparison.OrdinalIgnoreCase) && !encoding.Equals("identity", StringComparison.OrdinalIgnoreCase))
        {
            throw new MessageRefusedException($"The body has the content encoding '{encoding}'; send JSON in UTF-8 without one.");
        }

        var operation = kind.Operation;
        var errors = new BindingErrorList { RefuseUnknown = options.RefuseUnknownArguments };
        var call = operation.CreateCall(operation);
        call.Bind(new JsonArgumentReader(message.Body, "message", errors));
        errors.ThrowIfAny();
        using var received = Continue(headers);
        return recorder.Request(call, submitted);
    }

    /// <summary>The kind that a dead letter keeps, because its routing key changes where it is put back; <c>null</c> where the routing key was no kind, but the name of the queue.</summary>
    public string? KindToKeep(IntakeMessage message) => options.Kind ?? (message.Exchange.Length > 0 || kinds.Find(message.RoutingKey) is not null ? message.RoutingKey : null);

    /// <summary>Why a message cannot become a job.</summary>
    public static string Describe(Exception failure)
    {
        try
        {
            return Text(failure);
        }
        catch (Exception)
        {
            // Of the application's validation. One that cannot say what it is must not keep its message in the queue.
            return $"{failure.GetType().Name}.";
        }
    }

    private static string Text(Exception failure) => failure switch
    {
        MessageRefusedException => failure.Message,
        BindingException { Errors.Count: > 1 } binding => $"{binding.Message} All: {string.Join("; ", binding.Errors)}. See {binding.Code}.",
        WeirException weir => weir.Message.Contains(weir.Code, StringComparison.Ordinal) ? weir.Message : $"{weir.Message} See {weir.Code}.",
        ArgumentException { ParamName: { } parameter } => failure.Message.Replace($" (Parameter '{parameter}')", "", StringComparison.Ordinal),
        _ => $"{failure.GetType().Name}: {failure.Message}",
    };

    private JobKind FindKind(IntakeMessage message, MessageHeaders headers)
    {
        var named = headers.Text(MessageHeaders.Kind);
        if (options.Kind is { } only && named is not null && named != only)
        {
            throw new MessageRefusedException($"The header {MessageHeaders.Kind} is '{named}', and jobs of the queue '{options.Queue}' are of the kind {only} ({nameof(RabbitMqIntakeOptions)}.{nameof(RabbitMqIntakeOptions.Kind)}).");
        }

        var name = named ?? options.Kind ?? message.RoutingKey;
        return kinds.Find(name) ?? throw new MessageRefusedException(
            $"There is no kind '{name}', which is the {(named is null ? "routing key" : $"header {MessageHeaders.Kind}")}; the kinds are: {string.Join(", ", kinds.All.Select(static kind => kind.Name).Order(StringComparer.Ordinal))}.");
    }

    private string? IdempotencyKeyOf(IntakeMessage message) => message.Id switch
    {
        null when options.RequireMessageId => throw new MessageRefusedException(
            $"The message has no message id: without one a message that is delivered twice is two jobs. Set the property message_id, or {nameof(RabbitMqIntakeOptions)}.{nameof(RabbitMqIntakeOptions.RequireMessageId)} to false."),
        { Length: > MostIdempotencyKey } id => throw new MessageRefusedException($"The message id has {id.Length} characters; it may have {MostIdempotencyKey}."),
        var id => id,
    };

    // The trace of the publisher is that of the submission, also where the client's own instrumentation is off.
    private static Activity? Continue(MessageHeaders headers)
    {
        if (Activity.Current is not null || !ActivityContext.TryParse(headers.TextOrNull("traceparent"), headers.TextOrNull("tracestate"), isRemote: true, out var sent))
        {
            return null;
        }

        var received = new Activity("receive").SetParentId(sent.TraceId, sent.SpanId, sent.TraceFlags);
        received.TraceStateString = sent.TraceState;
        return received.Start();
    }
}
