using System.Text;
using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

internal sealed class RecordedLines : IOutputSink
{
    public List<(OutputStream Stream, string Text, bool Cut)> Lines { get; } = [];

    public void OnLine(OutputStream stream, ReadOnlySpan<byte> utf8, bool cut) =>
        Lines.Add((stream, Encoding.UTF8.GetString(utf8), cut));
}
