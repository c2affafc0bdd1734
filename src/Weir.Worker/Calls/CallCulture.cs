using System.Globalization;
using Weir.Protocol.Payloads;
using Weir.Worker.Log;

namespace Weir.Worker.Calls;

/// <summary>Gives the flow of a call the culture of its caller.</summary>
internal static class CallCulture
{
    // A warning for each call would hide everything else in the log.
    private static int _isReported;

    /// <summary>Sets it on the current flow. A culture that this process does not know is reported once, and its own stays.</summary>
    public static void Set(CallContext context, CallServices environment, ulong callId, Operation operation)
    {
        try
        {
            CultureInfo.CurrentCulture = CultureInfo.GetCultureInfo(context.Culture!);
            CultureInfo.CurrentUICulture = CultureInfo.GetCultureInfo(context.UICulture!);
        }
        catch (CultureNotFoundException unknown)
        {
            if (Interlocked.Exchange(ref _isReported, 1) == 0)
            {
                WorkerLogMessages.CultureUnknown(environment.Logger, unknown, callId, operation.FullName, context.Culture!, context.UICulture!);
            }
        }
    }
}
