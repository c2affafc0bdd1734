using Weir.Execution.Machine;

namespace Weir.Cli.Doctor;

/// <summary>Findings that belong together.</summary>
/// <param name="Name">What they are about.</param>
/// <param name="Findings">In the order in which they are printed.</param>
internal sealed record DoctorSection(string Name, IReadOnlyList<MachineFinding> Findings);
