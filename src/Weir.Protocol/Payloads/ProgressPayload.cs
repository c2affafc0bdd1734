using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>PROGRESS: how far the job of a call is; the header names the call.</summary>
/// <remarks>
/// <code>
///  0  f64   fraction, 0 to 1
///  8  text  what it does; empty for none
/// </code>
/// </remarks>
/// <param name="Fraction">0 to 1.</param>
/// <param name="Text">What it does; may be empty.</param>
internal readonly record struct ProgressPayload(double Fraction, string Text)
{
    /// <summary>Longer text is cut here: 200 UTF-16 units.</summary>
    public const int MostText = 200;

    internal const int LeastSize = PayloadSizes.Progress;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    public void Write(FrameWriter frame, ulong callId)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Progress, callId);
        var fields = new FieldWriter(frame);
        fields.U64(BitConverter.DoubleToUInt64Bits(Fraction));
        fields.Text(Text, MostText);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a PROGRESS.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static ProgressPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Progress, payload);
        var fraction = BitConverter.UInt64BitsToDouble(fields.U64());

        // False for what is no number, too.
        if (fraction is not (>= 0 and <= 1))
        {
            throw fields.Malformed($"fraction {fraction.ToString(System.Globalization.CultureInfo.InvariantCulture)} is not 0 to 1");
        }

        var progress = new ProgressPayload(fraction, fields.Text());
        fields.Finish();
        return progress;
    }
}
