using Microsoft.Extensions.Options;

namespace Weir.AspNetCore.Options;

/// <summary>Refuses invalid options before the first request.</summary>
internal sealed class WeirServerOptionsValidation : IValidateOptions<WeirServerOptions>
{
    private const int LargestFlush = 16 * 1024 * 1024;
    private const int SmallestUnsent = 4096;
    private const int SmallestResume = 16 * 1024;
    private const int LargestResume = 1024 * 1024 * 1024;

    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Longest = TimeSpan.FromDays(1);
    private static readonly TimeSpan LongestDelay = TimeSpan.FromMinutes(1);

    public ValidateOptionsResult Validate(string? name, WeirServerOptions options)
    {
        var errors = new List<string>();
        Require(options.FlushSize is > 0 and <= LargestFlush, nameof(options.FlushSize), options.FlushSize, $"set it from 1 to {LargestFlush} bytes");
        Require(options.FlushDelay >= TimeSpan.Zero && options.FlushDelay <= LongestDelay, nameof(options.FlushDelay), options.FlushDelay, $"set it from zero to {LongestDelay}");
        RequireInterval(nameof(options.HeartbeatInterval), options.HeartbeatInterval, "for no heartbeat");
        RequireInterval(nameof(options.ReaderStallTimeout), options.ReaderStallTimeout, "for no limit");
        Require(options.StreamUnsentLimit is null or >= SmallestUnsent, nameof(options.StreamUnsentLimit), options.StreamUnsentLimit, $"set it to {SmallestUnsent} bytes or more, or to null for the system's own");
        Require(options.RequestItemLimit is > 0 and <= WeirServerOptions.LargestRequestItemLimit, nameof(options.RequestItemLimit), options.RequestItemLimit, $"set it from 1 to {WeirServerOptions.LargestRequestItemLimit} bytes");
        RequireInterval(nameof(options.SenderStallTimeout), options.SenderStallTimeout, "for no limit");
        Require(options.ResumeBufferSize is >= SmallestResume and <= LargestResume, nameof(options.ResumeBufferSize), options.ResumeBufferSize, $"set it from {SmallestResume} to {LargestResume} bytes");
        Require(options.ResumeMemoryLimit is null || options.ResumeMemoryLimit >= options.ResumeBufferSize, nameof(options.ResumeMemoryLimit), options.ResumeMemoryLimit, $"set it to ResumeBufferSize, which is {options.ResumeBufferSize} bytes, or more, or to null for no limit");
        Require(options.ResumeWindow >= TimeSpan.Zero && options.ResumeWindow <= Longest, nameof(options.ResumeWindow), options.ResumeWindow, $"set it from zero to {Longest}");
        return errors.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(errors);

        void RequireInterval(string option, TimeSpan? value, string meaning) =>
            Require(value is null || (value >= Shortest && value <= Longest), option, value, $"set it from {Shortest} to {Longest}, or to null {meaning}");

        void Require(bool holds, string option, object? value, string step)
        {
            if (!holds)
            {
                errors.Add($"{nameof(WeirServerOptions)}.{option} is {value}; {step}. See {WeirCodes.InvalidOptions}.");
            }
        }
    }
}
