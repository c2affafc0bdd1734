using System.Globalization;
using System.Text;
using RabbitMQ.Client;

namespace Weir.Jobs.RabbitMq.Messages;

/// <summary>The headers of a message that say how its job is submitted.</summary>
/// <param name="headers">As the client read them; <c>null</c> for none.</param>
internal sealed class MessageHeaders(IDictionary<string, object?>? headers)
{
    public const string Kind = "weir-kind";
    public const string Key = "weir-key";
    public const string Priority = "weir-priority";
    public const string Due = "weir-due";
    public const string ExpiresAfter = "weir-expires-after";
    public const string Owner = "weir-owner";

    /// <summary>Why a message is a dead letter. Ignored where it comes again: dead letters may be put back as they are.</summary>
    public const string Reason = "weir-reason";

    /// <summary>The queue that a dead letter was in. Ignored as <see cref="Reason"/> is.</summary>
    public const string Queue = "weir-queue";

    private const string Prefix = "weir-";

    private static readonly string[] Known = [Kind, Key, Priority, Due, ExpiresAfter, Owner, Reason, Queue];

    /// <summary>A header as text; <c>null</c> where there is none.</summary>
    /// <exception cref="MessageRefusedException">It is no text.</exception>
    public string? Text(string name) =>
        TextOrNull(name) ?? (Value(name) is { } other ? throw new MessageRefusedException($"The header {name} has a value of the type {other.GetType().Name}; write a string.") : null);

    /// <summary>A header as text; <c>null</c> where there is none, or it is no text.</summary>
    public string? TextOrNull(string name) => Value(name) switch
    {
        // The client reads strings as bytes.
        byte[] bytes => Encoding.UTF8.GetString(bytes),
        string text => text,
        _ => null,
    };

    /// <summary>How the job is submitted.</summary>
    /// <exception cref="MessageRefusedException">A header cannot be read, or is none that is known.</exception>
    public JobOptions ToOptions()
    {
        if (headers?.Keys.FirstOrDefault(static name => name.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) && !Known.Contains(name)) is { } unknown)
        {
            throw new MessageRefusedException($"There is no header {unknown}; those of jobs are {Kind}, {Key}, {Priority}, {Due}, {ExpiresAfter} and {Owner}.");
        }

        return new JobOptions
        {
            Key = Text(Key),
            Priority = ReadPriority(),
            Due = ReadDue(),
            ExpiresAfter = ReadExpiresAfter(),
            Owner = Text(Owner),
        };
    }

    private object? Value(string name) => headers is not null && headers.TryGetValue(name, out var value) ? value : null;

    private JobPriority ReadPriority() => Text(Priority) switch
    {
        null => JobPriority.Normal,
        { } text when text.Equals("high", StringComparison.OrdinalIgnoreCase) => JobPriority.High,
        { } text when text.Equals("normal", StringComparison.OrdinalIgnoreCase) => JobPriority.Normal,
        { } text when text.Equals("low", StringComparison.OrdinalIgnoreCase) => JobPriority.Low,
        { } text => throw new MessageRefusedException($"The header {Priority} is '{text}'; write high, normal or low."),
    };

    private DateTimeOffset? ReadDue()
    {
        if (Value(Due) is AmqpTimestamp { UnixTime: >= -62_135_596_800 and <= 253_402_300_799 } timestamp)
        {
            return DateTimeOffset.FromUnixTimeSeconds(timestamp.UnixTime);
        }

        return Text(Due) switch
        {
            null => null,
            { } text when DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out var due) => due,
            { } text => throw new MessageRefusedException($"The header {Due} is '{text}'; write a time as in 2026-03-01T03:00:00Z, or a timestamp of AMQP."),
        };
    }

    private TimeSpan? ReadExpiresAfter() => Text(ExpiresAfter) switch
    {
        null => null,
        // A number alone would be days, where many a publisher means seconds.
        { } text when text.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParseExact(text, "c", CultureInfo.InvariantCulture, out var time) => time,
        { } text => throw new MessageRefusedException($"The header {ExpiresAfter} is '{text}'; write a time as in 00:10:00, or 1.00:00:00 for a day."),
    };
}
