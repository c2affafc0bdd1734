using System.Buffers;
using System.Text.Json;
using Weir.Cli.Observe;
using Weir.Cli.Terminal;

namespace Weir.Cli.Operate;

/// <summary>One action of an operator.</summary>
/// <param name="session">The dashboard.</param>
/// <param name="console">Where its outcome is printed.</param>
internal sealed class OperatorAction(DashboardSession session, CommandConsole console)
{
    /// <summary>Asks for it.</summary>
    /// <param name="verb">Which action.</param>
    /// <param name="write">Writes the members that say of what.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="DashboardException">It was refused.</exception>
    public async Task<int> RunAsync(string verb, Action<Utf8JsonWriter> write, CancellationToken cancellationToken)
    {
        var body = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(body))
        {
            json.WriteStartObject();
            write(json);
            json.WriteEndObject();
        }

        await console.Out.WriteLineAsync(await session.PostAsync($"actions/{verb}", body.WrittenMemory, cancellationToken));
        return ExitCodes.Success;
    }
}
