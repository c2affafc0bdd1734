using System.Text;
using Weir.Jobs.Running;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>What one call of <c>AddWeirJobsRabbitMq</c> sets.</summary>
/// <param name="configure">Changes the options.</param>
internal sealed class IntakeConfiguration(Action<RabbitMqIntakeOptions> configure)
{
    private const int MostName = 255;
    private const int MostPrefetch = 256;

    /// <summary>The options.</summary>
    /// <param name="kinds">Of this process.</param>
    /// <exception cref="InvalidOperationException">One is out of its range (WEIR3002).</exception>
    public RabbitMqIntakeOptions Create(JobKinds kinds)
    {
        var options = new RabbitMqIntakeOptions();
        configure(options);
        Require(!string.IsNullOrEmpty(options.Uri), nameof(options.Uri), options.Uri, "set it to the broker, as in amqp://user:password@host:5672/vhost");
        Require(
            System.Uri.TryCreate(options.Uri, UriKind.Absolute, out var uri) && uri is { Scheme: "amqp" or "amqps", Host.Length: > 0 }, nameof(options.Uri), WithoutSecret(uri), "write it as in amqp://user:password@host:5672/vhost, or amqps:// for TLS");
        Require(!string.IsNullOrEmpty(options.Queue), nameof(options.Queue), options.Queue, "set it to the name of the queue that is read");
        Require(IsName(options.Queue), nameof(options.Queue), options.Queue, $"write at most {MostName} bytes");
        Require(options.Prefetch is >= 1 and <= MostPrefetch, nameof(options.Prefetch), options.Prefetch, $"set it to 1 to {MostPrefetch}");
        Require(options.DeadLetterExchange is not null, nameof(options.DeadLetterExchange), null, "set it to the exchange for messages that cannot become jobs: without one they would be lost");
        Require(IsName(options.DeadLetterExchange), nameof(options.DeadLetterExchange), options.DeadLetterExchange, $"write at most {MostName} bytes");
        Require(IsName(options.DeadLetterRoutingKey), nameof(options.DeadLetterRoutingKey), options.DeadLetterRoutingKey, $"write at most {MostName} bytes");
        if (options.DeadLetterExchange!.Length == 0)
        {
            // The default exchange routes by the name of a queue.
            Require(!string.IsNullOrEmpty(options.DeadLetterRoutingKey), nameof(options.DeadLetterRoutingKey), options.DeadLetterRoutingKey, "set it to the queue for dead letters, because DeadLetterExchange is the default exchange");
            Require(options.DeadLetterRoutingKey != options.Queue, nameof(options.DeadLetterRoutingKey), options.DeadLetterRoutingKey, "set it to another queue than Queue, which would deliver its dead letters again");
            Require(!options.DeclareQueue, nameof(options.DeclareQueue), options.DeclareQueue, "set DeadLetterExchange to a name: the default exchange cannot be declared");
        }

        Require(!options.DeclareQueue || options.DeadLetterExchange != options.Queue, nameof(options.DeadLetterExchange), options.DeadLetterExchange, "set it to another name than Queue: a queue of its name is declared for dead letters");
        Require(
            options.Kind is null || kinds.Find(options.Kind) is not null, nameof(options.Kind), options.Kind, $"set it to a kind of this application ({string.Join(", ", kinds.All.Select(static kind => kind.Name).Order(StringComparer.Ordinal))}), or to null");
        return options;
    }

    /// <summary>A broker without what its log must not show; <c>null</c> for one that cannot be read.</summary>
    public static string? WithoutSecret(Uri? uri) => uri is null ? null : $"{uri.Scheme}://{uri.Authority}{uri.AbsolutePath}";

    private static bool IsName(string? name) => name is null || Encoding.UTF8.GetByteCount(name) <= MostName;

    private static void Require(bool isValid, string option, object? value, string step)
    {
        if (!isValid)
        {
            throw new InvalidOperationException($"{nameof(RabbitMqIntakeOptions)}.{option} is {(value is null ? (option == nameof(RabbitMqIntakeOptions.Uri) ? "not a URI" : "null") : value is string text ? $"'{text}'" : value)}; {step}. See {WeirCodes.InvalidOptions}.");
        }
    }
}
