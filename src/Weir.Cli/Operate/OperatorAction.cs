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
    /// <param name="pool">The pool.</param>
    /// <param name="processId">The worker; <c>null</c> where it is about the pool.</param>
    /// <param name="serial">Which of the pool's processes it is; <c>null</c> for any.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="DashboardException">It was refused.</exception>
    public async Task<int> RunAsync(string verb, string pool, int? processId, int? serial, CancellationToken cancellationToken)
    {
        var body = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(body))
        {
            json.WriteStartObject();
            json.WriteString("pool", pool);
            if (processId is { } process)
            {
                json.WriteNumber("pid", process);
            }

            if (serial is { } number)
            {
                json.WriteNumber("serial", number);
            }

            json.WriteEndObject();
        }

        await console.Out.WriteLineAsync(await session.PostAsync($"actions/{verb}", body.WrittenMemory, cancellationToken));
        return ExitCodes.Success;
    }
}
